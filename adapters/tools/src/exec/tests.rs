//! Commands that misbehave, against the real kernel. Where it has no sandbox the tests of the sandbox see the refusal.

use std::fs;
use std::sync::Arc;

use pensive_contract::inbound::ChatKind;
use tempfile::TempDir;

use super::*;
use crate::testing::{Frozen, errand};

struct Desk {
    exec: Exec,
    clock: Arc<Frozen>,
    tasks: TaskTracker,
    folder: TempDir,
    outside: TempDir,
}

fn desk() -> Desk {
    let (folder, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::write(outside.path().join("secret"), "hidden words").unwrap();
    let (clock, tasks) = (Arc::new(Frozen::default()), TaskTracker::new());
    let workspace = Arc::new(Workspace::new(folder.path().canonicalize().unwrap()));
    let settings = ExecSettings { zone: Some("Europe/Rome".to_owned()), ..ExecSettings::default() };
    let exec = Exec::new(workspace, settings, Arc::clone(&clock) as Arc<dyn Clock>, tasks.clone());
    Desk { exec, clock, tasks, folder, outside }
}

fn line(command: &str) -> String {
    serde_json::json!({ "command": command }).to_string()
}

impl Desk {
    async fn call(&self, command: &str, grant: Grant) -> Result<String, String> {
        let errand = Errand { grant, ..errand(ChatKind::Direct) };
        self.exec.call(&line(command), &errand).await.map_err(|fault| fault.model)
    }

    async fn free(&self, command: &str) -> String {
        self.call(command, Grant::Free).await.unwrap()
    }

    /// Nothing where the kernel cannot confine, which is seen and said.
    async fn confined(&self, command: &str) -> Option<String> {
        match self.call(command, Grant::Confined).await {
            Err(words) if words.starts_with("This machine cannot confine") => {
                eprintln!("skipped: the kernel here has no Landlock or seccomp; the command was refused");
                None
            }
            other => Some(other.unwrap()),
        }
    }

    fn outside(&self, name: &str) -> String {
        self.outside.path().canonicalize().unwrap().join(name).display().to_string()
    }

    /// Until the command has made that file.
    async fn appears(&self, name: &str) -> String {
        loop {
            match fs::read_to_string(self.folder.path().join(name)) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        }
    }
}

/// Whether a process runs; one that ended and was not reaped does not.
fn lives(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z') && !rest.starts_with('X'))
}

/// A killed process dies when the kernel gets to it.
async fn dies(pid: &str) {
    while lives(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_command_tells_what_it_printed_and_how_it_ended() {
    let desk = desk();
    let check =
        async |command: &str, expected: &str| assert_eq!(desk.free(command).await, expected, "{command}");
    check("echo one; echo two >&2; echo three", "one\ntwo\nthree").await;
    check("true", "[It printed nothing.]").await;
    check("echo no; exit 3", "no\n[Exit code 3.]").await;
    check("kill -9 $$", "[Ended by signal 9 (killed).]").await;
    check("cat", "[It printed nothing.]").await;
    check("echo \"it's $((1+1))\" 'ü'", "it's 2 ü").await;
    check("head -c 100 /dev/zero", "[100 bytes that are not text]").await;
    check("no-such-program 2>/dev/null", "[Exit code 127.]").await;
    check("ulimit -c", "0").await;
}

#[tokio::test]
async fn tool_07_the_environment_has_nothing_of_the_daemon() {
    let desk = desk();
    let names = |text: String| {
        let mut names: Vec<_> =
            text.lines().filter_map(|line| line.split('=').next()).map(str::to_owned).collect();
        names.sort();
        names
    };
    // The last three are the shell's own.
    let known = ["HOME", "LANG", "OLDPWD", "PATH", "PENSIVE_CALL", "PWD", "SHLVL", "TMPDIR", "TZ", "_"];
    for grant in [Grant::Free, Grant::Confined] {
        let Ok(text) = desk.call("env", grant).await else { continue };
        assert!(
            text.contains(&format!("HOME={}", desk.folder.path().canonicalize().unwrap().display())),
            "{text}"
        );
        assert!(text.contains("TZ=Europe/Rome"), "{text}");
        let odd: Vec<_> = names(text).into_iter().filter(|name| !known.contains(&name.as_str())).collect();
        assert_eq!(odd, Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_sandbox_keeps_files_outside_closed() {
    let desk = desk();
    let secret = desk.outside("secret");
    for command in [
        format!("cat {secret}"),
        format!("cp {secret} copy"),
        format!("ln {secret} hard"),
        format!("ln -s {secret} soft; cat soft"),
        format!("echo x > {secret}"),
        format!("echo x >> {secret}"),
        format!("rm {secret}"),
        format!("mv {secret} here"),
        format!("truncate -s 0 {secret}"),
        format!("ls {}", desk.outside("")),
        format!("touch {}", desk.outside("new")),
        format!("cat {secret} & wait $!"),
        format!("setsid cat {secret}"),
        "cat /etc/shadow".to_owned(),
        "ls /root".to_owned(),
        "ls /home".to_owned(),
        "ls /tmp".to_owned(),
        "cat /proc/$PPID/environ".to_owned(),
        "cat /proc/1/environ".to_owned(),
        "mknod disk b 8 0".to_owned(),
        "mount -t tmpfs none .".to_owned(),
    ] {
        let Some(told) = desk.confined(&command).await else { return };
        assert!(told.contains("[Exit code "), "{command}: {told}");
        assert!(!told.contains("hidden words"), "{command}: {told}");
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "hidden words");
    assert_eq!(fs::read_dir(desk.outside.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn the_sandbox_leaves_the_workspace_and_programs_usable() {
    let desk = desk();
    let check = async |command: &str, expected: &str| {
        if let Some(told) = desk.confined(command).await {
            assert_eq!(told, expected, "{command}");
        }
    };
    check("echo hello > a && cat a && mv a b && mkdir -p c/d && cp b c/d && ls c/d", "hello\nb").await;
    check("pwd | wc -l; cd /; cd ~ && test -f b && echo home", "1\nhome").await;
    check("mktemp > made && test -f $(cat made) && echo made", "made").await;
    check("cat < /dev/null > /dev/null && echo x | tr x y | sort", "y").await;
    check("chmod +x b && ln -s b link && cat link && rm link b && test ! -e b && echo gone", "hello\ngone")
        .await;
}

#[tokio::test]
async fn the_sandbox_has_no_network() {
    let desk = desk();
    let listener = std::os::unix::net::UnixListener::bind(desk.outside.path().join("socket")).unwrap();
    let inside = std::os::unix::net::UnixListener::bind(desk.folder.path().join("socket")).unwrap();
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    match desk.confined("python3 -c 'import socket; print(1)'").await {
        Some(told) if told == "1" => {}
        _ => return eprintln!("skipped: no sandbox, or no Python to try with"),
    }
    let python = |body: &str| format!("python3 -c 'import socket as s; {body}; print(\"through\")'");
    for body in [
        format!("s.create_connection((\"127.0.0.1\", {port}))"),
        "s.socket(s.AF_INET, s.SOCK_DGRAM)".to_owned(),
        "s.socket(s.AF_INET6, s.SOCK_DGRAM)".to_owned(),
        "s.socket(s.AF_NETLINK, s.SOCK_RAW)".to_owned(),
        format!("s.socket(s.AF_UNIX).connect(\"{}\")", desk.outside("socket")),
        "s.socket(s.AF_UNIX).connect(\"socket\")".to_owned(),
    ] {
        let Some(told) = desk.confined(&python(&body)).await else { return };
        assert!(!told.contains("through") && told.contains("[Exit code "), "{body}: {told}");
    }
    drop((listener, inside, tcp));
}

#[tokio::test]
async fn the_sandbox_reaches_no_other_process() {
    let desk = desk();
    let Some(told) = desk.confined("kill -0 $PPID && echo reached").await else { return };
    // Landlock holds signals since Linux 6.12.
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers =
        release.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) < (Some(6), Some(12)) {
        eprintln!("skipped: the kernel here does not hold signals");
        return;
    }
    assert!(!told.contains("reached"), "{told}");
}

#[tokio::test]
async fn without_a_sandbox_a_command_is_refused_unless_the_owner_said_so() {
    let mut desk = desk();
    desk.exec.enter = |_, _| Err(Trouble::NoSandbox("none here".to_owned()));
    let refused = desk.call("echo ran", Grant::Confined).await.unwrap_err();
    assert!(refused.starts_with("This machine cannot confine"), "{refused}");
    assert_eq!(desk.free("echo ran").await, "ran");
    desk.exec.settings.without_sandbox = WithoutSandbox::Run;
    assert_eq!(desk.call("echo ran", Grant::Confined).await.unwrap(), "ran");
}

#[tokio::test]
async fn ses_07_without_a_sandbox_no_command_of_a_group_runs_beside_private_notes() {
    let mut desk = desk();
    desk.exec.enter = |_, _| Err(Trouble::NoSandbox("none here".to_owned()));
    desk.exec.settings.without_sandbox = WithoutSandbox::Run;
    let group = |grant| Errand { grant, ..errand(ChatKind::Group) };
    let memory = desk.folder.path().join("memory");
    fs::create_dir_all(memory.join("shared")).unwrap();
    for grant in [Grant::Confined, Grant::Free] {
        assert_eq!(desk.exec.call(&line("echo ran"), &group(grant)).await.unwrap(), "ran");
    }
    fs::write(memory.join("MEMORY.md"), "private").unwrap();
    for grant in [Grant::Confined, Grant::Free] {
        let refused = desk.exec.call(&line("echo ran"), &group(grant)).await.unwrap_err().model;
        assert!(refused.starts_with("This machine cannot confine"), "{refused}");
    }
    assert_eq!(desk.free("echo ran").await, "ran");
}

#[tokio::test]
async fn what_may_go_free_goes_outside() {
    let desk = desk();
    assert_eq!(desk.free(&format!("cat {}", desk.outside("secret"))).await, "hidden words");
}

#[tokio::test]
async fn a_flood_is_kept_in_bounds() {
    let desk = desk();
    let told = desk.free("echo first; head -c 104857600 /dev/zero | tr '\\0' x; echo; echo last").await;
    assert!(told.starts_with("first\nxxx") && told.ends_with("xxx\nlast"), "{} bytes", told.len());
    assert!(told.contains("bytes are left out") && told.len() < 70_000, "{} bytes", told.len());
}

#[tokio::test]
async fn what_is_left_running_ends_with_the_command() {
    let desk = desk();
    let told = desk.free("sleep 1000 & echo $!; setsid sleep 1000 & echo $!; (setsid sh -c 'sleep 1000 & echo $! > stray')").await;
    for pid in told.lines().chain([desk.appears("stray").await.as_str()]) {
        dies(pid).await;
    }
}

#[tokio::test]
async fn a_time_limit_ends_all_of_it_and_tells_what_was_printed() {
    let desk = desk();
    let command = "echo begun; sleep 1000 & echo $! > pid; wait";
    let call = desk.call(command, Grant::Free);
    let (told, pid) = tokio::join!(call, async {
        let pid = desk.appears("pid").await;
        desk.clock.ring();
        pid
    });
    let words = told.unwrap_err();
    assert!(words.starts_with("begun\n[Its 120 seconds were over"), "{words}");
    dies(&pid).await;
}

#[tokio::test]
async fn what_does_not_listen_to_the_word_to_end_is_killed() {
    let desk = desk();
    let command = "trap '' TERM; echo $$ > pid; while true; do sleep 1000; done";
    let mut call = Box::pin(desk.call(command, Grant::Free));
    let pid = tokio::select! { pid = desk.appears("pid") => pid, told = &mut call => panic!("{told:?}") };
    // The first is for the time, the next for the grace, which begins when the first was heard.
    let told = loop {
        desk.clock.ring();
        tokio::select! { biased; told = &mut call => break told, () = tokio::task::yield_now() => {} }
    };
    assert!(told.unwrap_err().contains("seconds were over"));
    dies(&pid).await;
}

#[tokio::test]
async fn a_dropped_call_takes_everything_with_it() {
    let desk = desk();
    let command = "sleep 1000 & echo $! > one; setsid sleep 1000 & echo $! > two; echo $$ > three; wait";
    let mut call = Box::pin(desk.call(command, Grant::Free));
    let mut pids = Vec::new();
    for name in ["one", "two", "three"] {
        pids.push(tokio::select! { pid = desk.appears(name) => pid, told = &mut call => panic!("{told:?}") });
    }
    assert!(pids.iter().all(|pid| lives(pid)));
    drop(call);
    desk.tasks.close();
    desk.tasks.wait().await;
    for pid in pids {
        dies(&pid).await;
    }
}

#[tokio::test]
async fn a_crowd_of_processes_ends_at_once() {
    let desk = desk();
    // Each breeds for as long as it lives, but for a bound that protects the machine that tests it.
    let breed =
        "n=$1; while [ $n -gt 0 ]; do n=$((n-1)); sh breed $n & done; echo x >> born; exec sleep 1000";
    fs::write(desk.folder.path().join("breed"), breed).unwrap();
    let call = desk.call("sh breed 6; wait", Grant::Free);
    let (told, ()) = tokio::join!(call, async {
        while fs::read(desk.folder.path().join("born")).map_or(0, |born| born.len()) < 40 {
            tokio::task::yield_now().await;
        }
        desk.clock.ring();
    });
    assert!(told.unwrap_err().contains("seconds were over"));
    let home = format!("HOME={}\0", desk.folder.path().canonicalize().unwrap().display());
    let ours = || {
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        all.filter(|entry| {
            let read = fs::read(entry.path().join("environ")).unwrap_or_default();
            read.windows(home.len()).any(|part| part == home.as_bytes())
        })
        .count()
    };
    while ours() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_folder_to_run_in_lies_inside() {
    let desk = desk();
    fs::create_dir(desk.folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink(desk.outside.path(), desk.folder.path().join("out")).unwrap();
    let run = async |cwd: &str| {
        let text = serde_json::json!({ "command": "basename \"$PWD\"; pwd -P | grep -o sub", "cwd": cwd })
            .to_string();
        let errand = Errand { grant: Grant::Free, ..errand(ChatKind::Direct) };
        desk.exec.call(&text, &errand).await.map_err(|fault| fault.model)
    };
    assert_eq!(run("sub").await.unwrap(), "sub\nsub");
    for outside in ["..", "/", "out", "sub/../..", "/proc/self/cwd", "missing", "~"] {
        assert!(run(outside).await.is_err(), "{outside}");
    }
}

#[tokio::test]
async fn odd_arguments_are_told() {
    let desk = desk();
    let check =
        async |text: &str| assert!(desk.exec.call(text, &errand(ChatKind::Direct)).await.is_err(), "{text}");
    check("").await;
    check("{}").await;
    check("not json").await;
    check(r#"{"command":""}"#).await;
    check(r#"{"command":"  "}"#).await;
    check(r#"{"command":"a\u0000b"}"#).await;
    check(r#"{"command":"ls","timeout":"soon"}"#).await;
    check(&line(&"x".repeat(3 << 20))).await;
}

#[test]
fn times_are_held_in_bounds() {
    let desk = desk();
    let check = |timeout: serde_json::Value, expected: u64| {
        let text = serde_json::json!({ "command": "ls", "timeout": timeout }).to_string();
        assert_eq!(desk.exec.limit(&text), Duration::from_secs(expected + 8), "{text}");
    };
    check(serde_json::Value::Null, 120);
    check(5.into(), 5);
    check("30".into(), 30);
    check(0.into(), 1);
    check(100_000.into(), 600);
}

#[test]
fn a_command_is_dangerous_unless_it_only_looks() {
    let desk = desk();
    let check = |text: &str, expected: Danger| assert_eq!(desk.exec.danger(text), expected, "{text}");
    check(&line("ls -la"), Danger::Harmless);
    check(&line("rm -rf ."), Danger::Dangerous);
    check(&line("ls; rm x"), Danger::Dangerous);
    check("broken", Danger::Harmless);
}
