//! Bubbles as people see them: a call, and its line.

use proptest::prelude::*;

use super::*;

const HOME: &str = "/home/ann";

fn told(tool: &str, arguments: &str, detail: ToolDetail) -> String {
    let masker = Masker::new(["hunter2-secret/+key".to_owned()]);
    Bubble::new(tool, arguments, Lens { detail, home: HOME, masker: &masker }).line()
}

fn check(tool: &str, arguments: &str, expected: &str) {
    assert_eq!(told(tool, arguments, ToolDetail::Explain), expected, "{tool} {arguments}");
}

/// What a command is said to do.
fn does(command: &str, expected: &str) {
    assert_eq!(explain::explain(command), expected, "{command}");
}

#[test]
fn each_tool_has_its_shape() {
    check("read", r#"{"path":"p","offset":5,"limit":10}"#, "📖 Read: lines 5-14 from p");
    check("read", r#"{"path":"p"}"#, "📖 Read: from p");
    check("read", r#"{"path":"p","limit":10}"#, "📖 Read: lines 1-10 from p");
    check("read", r#"{"path":"p","offset":5}"#, "📖 Read: from line 5 of p");
    check("write", r#"{"path":"p","content":"häß"}"#, "✍️ Write: to p (3 chars)");
    check("edit", r#"{"path":"p","old":"a","new":"abcd"}"#, "📝 Edit: in p (4 chars)");
    check("edit", r#"{"path":"p","old":"a","new":""}"#, "📝 Edit: in p (0 chars)");
    let patch =
        r#"{"patch":"*** Begin Patch\n*** Update File: a.rs\n+x\n*** Add File: b.rs\n*** End Patch"}"#;
    check("apply_patch", patch, "🩹 Apply Patch: a.rs, b.rs");
    let diff = r#"{"patch":"--- a/x.c\n+++ b/x.c\n@@\n--- a/y\n+++ /dev/null\n"}"#;
    check("apply_patch", diff, "🩹 Apply Patch: x.c");
    check("web_search", r#"{"query":"rust sled","count":5}"#, "🔎 Web Search: for \"rust sled\" (top 5)");
    check("web_search", r#"{"query":"rust sled"}"#, "🔎 Web Search: for \"rust sled\"");
    check("web_fetch", r#"{"url":"https://e.org/a"}"#, "📄 Web Fetch: from https://e.org/a");
    check("memory_search", r#"{"query":"birthday"}"#, "🧠 Memory Search: birthday");
    check("memory_get", r#"{"path":"notes/a.md"}"#, "📓 Memory Get: notes/a.md");
    check("sessions_spawn", r#"{"label":"docs","task":"Read it all"}"#, "🧑‍🔧 Sub-agent: docs, Read it all");
    check("sessions_spawn", r#"{"task":"Read it all"}"#, "🧑‍🔧 Sub-agent: Read it all");
    check("cron", r#"{"action":"list"}"#, "⏰ Cron: list");
    check("message", r#"{"action":"send","target":"-100"}"#, "✉️ Message: send, -100");
    check("message", r#"{"text":"See.","file":"plots/a.png"}"#, "✉️ Message: plots/a.png");
    check("session_status", "{}", "📊 Session Status");
    check("process", r#"{"id":7}"#, "🧰 Process: 7");
    check("exec", r#"{"command":"ls -la src"}"#, "🛠️ Exec: list files in src");
    check("bash", r#"{"command":"ls"}"#, "🛠️ Exec: list files");
}

#[test]
fn any_other_tool_is_told_by_its_name_and_its_most_telling_argument() {
    check("github__create_issue", r#"{"title":"Bug","name":"x"}"#, "🧩 Github Create Issue: x");
    check("memory_write", r#"{"text":"t","path":"a.md"}"#, "🧩 Memory Write: a.md");
    check("getUserByID", r#"{"id":12}"#, "🧩 Get User By ID: 12");
    check("lookup", r#"{"query":"q","url":"u"}"#, "🧩 Lookup: u");
    check("tags", r#"{"name":["a","b","c","d"]}"#, "🧩 Tags: a, b, c, …");
    check("tags", r#"{"name":["a","b","c"]}"#, "🧩 Tags: a, b, c");
    check("odd", r#"{"other":"x"}"#, "🧩 Odd");
    check("", "", "🧩 Tool");
    check("__", "{}", "🧩 Tool");
}

#[test]
fn tool_12_broken_arguments_leave_the_name_alone() {
    for broken in ["", "{", "[]", "null", "\"x\"", r#"{"path":null}"#, r#"{"path":{}}"#, r#"{"path":"  "}"#] {
        check("read", broken, "📖 Read");
        check("exec", broken, "🛠️ Exec");
    }
}

#[test]
fn raw_adds_the_command() {
    let raw = |command: &str, expected: &str| {
        let arguments = serde_json::json!({ "command": command }).to_string();
        assert_eq!(told("exec", &arguments, ToolDetail::Raw), expected);
    };
    raw("node --check /tmp/app.js", "🛠️ Exec: check JS syntax for /tmp/app.js, node --check /tmp/app.js");
    raw("cd /home/ann/x\nmake", "🛠️ Exec: go to ~/x then build with make, cd ~/x");
}

#[test]
fn values_are_one_line_of_at_most_160_characters_with_a_tilde_for_home() {
    check("web_fetch", r#"{"url":"\n first\tline \nsecond"}"#, "📄 Web Fetch: from first line");
    let long = told("memory_search", &format!(r#"{{"query":"{}"}}"#, "ä".repeat(500)), ToolDetail::Explain);
    assert_eq!(long, format!("🧠 Memory Search: {}…", "ä".repeat(159)));
    let whole = format!(r#"{{"query":"{}"}}"#, "ä".repeat(160));
    check("memory_search", &whole, &format!("🧠 Memory Search: {}", "ä".repeat(160)));
    check("memory_get", r#"{"path":"/home/ann/a"}"#, "📓 Memory Get: ~/a");
    check("memory_get", r#"{"path":"/home/ann"}"#, "📓 Memory Get: ~");
    check("memory_get", r#"{"path":"/home/anna/a"}"#, "📓 Memory Get: /home/anna/a");
    check("memory_get", r#"{"path":"/x/home/ann/a"}"#, "📓 Memory Get: /x/home/ann/a");
    check("exec", r#"{"command":"diff /home/ann/a /home/ann/b"}"#, "🛠️ Exec: compare ~/a, ~/b");
}

#[test]
fn tool_07_secrets_are_masked_before_anything_is_cut() {
    let edge = format!(r#"{{"query":"{} hunter2-secret\/+key"}}"#, "x".repeat(150));
    let shown = told("memory_search", &edge, ToolDetail::Explain);
    assert!(!shown.contains("hunter2"), "{shown}");
    check(
        "web_fetch",
        r#"{"url":"https://e.org/?k=hunter2-secret%2F%2Bkey"}"#,
        "📄 Web Fetch: from https://e.org/?k=•••",
    );
    check(
        "exec",
        r#"{"command":"curl -H 'Authorization: Bearer abcdef0123456789' https://e.org"}"#,
        "🛠️ Exec: fetch https://e.org",
    );
}

#[test]
fn an_output_stands_in_a_fence_under_its_header() {
    let bubble = Bubble { title: "H".to_owned(), detail: String::new() };
    let check = |text: &str, markdown: &str, after: &str| {
        let (before, markdown, after) = ("H".to_owned(), markdown.to_owned(), after.to_owned());
        assert_eq!(bubble.output(text), Body::Framed { before, markdown, after }, "{text:.40}");
    };
    check("a\n  b\n\n", "```\na\n  b\n```", "");
    check("\n  a", "```\n  a\n```", "");
    check("a ``` b", "````\na ``` b\n````", "");
    let full = "ä".repeat(8_000);
    check(&full, &format!("```\n{full}\n```"), "");
    check(&format!("{full}x"), &format!("```\n{full}\n```"), "…(truncated)…");
    for nothing in ["", "\n", " \t\n "] {
        assert_eq!(bubble.output(nothing), Body::Plain("H\n(no output)".to_owned()));
    }
}

#[test]
fn tool_13_a_failure_is_one_short_line() {
    let bubble = Bubble { title: "H".to_owned(), detail: String::new() };
    let told = Bubble { title: "📖 Read".to_owned(), detail: "from p".to_owned() };
    assert_eq!(told.failure(None), "⚠️ 📖 Read: from p failed");
    assert_eq!(bubble.failure(Some("no such file\nat line 3")), "⚠️ H failed: no such file");
    assert_eq!(bubble.failure(Some(" \n")), "⚠️ H failed");
    let long = bubble.failure(Some(&"e".repeat(900)));
    assert_eq!(long, format!("⚠️ H failed: {}…", "e".repeat(399)));
}

#[test]
fn known_programs_are_told_in_words() {
    does("node --check /tmp/app.js", "check JS syntax for /tmp/app.js");
    does("node -e 'x()'", "run inline JS");
    does("node app.js --port 80", "run JS script app.js");
    does("git status", "show the git status");
    does("git -C repo commit -m 'a b'", "commit git changes");
    does("git checkout -b new", "create git branch new");
    does("git checkout main", "check out main from git");
    does("git stash pop", "bring stashed git changes back");
    does("git bisect start", "run git bisect");
    does("ls -la", "list files");
    does("/bin/ls -la src tests", "list files in src, tests");
    does("cat a b c d", "show a, b, c, …");
    does("grep -rn 'fn main' src", "search for \"fn main\" in src");
    does("rg -g '*.rs' -e todo", "search for \"todo\"");
    does("rg --files", "list files");
    does("find . -name '*.rs' -not -path ./x", "find \"*.rs\" in .");
    does("find . -type d", "find folders in .");
    does("find /tmp -mtime +3 -delete", "find files in /tmp and remove them");
    does("find . -name '*.o' -exec rm {} \\;", "find \"*.o\" in . and run rm on them");
    does("sed -n '5,14p' a.txt", "show lines 5-14 of a.txt");
    does("sed -n '7,$p' a.txt", "show line 7 to the end of a.txt");
    does("sed -i 's/a/b/' a.txt", "edit a.txt");
    does("sed 's/a/b/' a.txt", "transform text of a.txt");
    does("awk -F: '{print $1}' /etc/passwd", "process text of /etc/passwd");
    does("curl -s https://e.org", "fetch https://e.org");
    does("curl -X DELETE https://e.org/1", "send DELETE to https://e.org/1");
    does("curl -d '{}' https://e.org", "send POST to https://e.org");
    does("curl -fsSL -o a.tgz https://e.org/a", "download https://e.org/a");
    does("wget https://e.org/a", "download https://e.org/a");
    does("npm install", "install packages");
    does("npm install left-pad", "install left-pad");
    does("npm run build -- --watch", "run script build");
    does("pnpm test", "run tests");
    does("yarn", "install packages");
    does("yarn lint", "run script lint");
    does("npx eslint .", "run package eslint, .");
    does("python3 -m pytest -q tests", "run Python tests in tests");
    does("python -m venv .venv", "create Python environment .venv");
    does("python3.12 -m pip install requests", "install Python packages requests");
    does("python x.py -m pytest", "run Python script x.py");
    does("python3 -c 'print(1)'", "run inline Python");
    does("pytest -k name", "run Python tests");
    does("pip install -r requirements.txt", "install Python packages from requirements.txt");
    does("pip3 install a b", "install Python packages a, b");
    does("cargo test -p engine lane", "run Rust tests lane");
    does("cargo +nightly fmt", "format Rust code");
    does("cargo clippy --all-targets -- -D warnings", "lint Rust code");
    does("go test ./...", "run Go tests in ./...");
    does("make -j4 all", "build all with make");
    does("docker ps -a", "list containers");
    does("docker compose up -d web", "start containers web");
    does("docker-compose down", "stop and remove containers");
    does("docker run --rm -it -v a:b alpine sh", "run a container of alpine");
    does("docker exec -it web ls /srv", "list files in /srv in web");
    does("kubectl get pods -n prod", "list Kubernetes pods");
    does("kubectl apply -f a.yaml", "apply Kubernetes resources of a.yaml");
    does("kubectl exec pod-1 -- cat /etc/hosts", "show /etc/hosts in pod-1");
    does("systemctl restart nginx", "restart service nginx");
    does("systemctl --user status pensive", "show the state of service pensive");
    does("ssh -p 22 me@host", "connect to me@host");
    does("ssh host 'cd /srv && ls'", "go to /srv then list files on host");
    does("tar xzf a.tgz", "extract archive a.tgz");
    does("tar -czf a.tgz src", "create archive a.tgz");
    does("tar -tf a.tgz", "list archive a.tgz");
    does("tar --extract --file=a.tgz", "extract archive a.tgz");
    does("mkdir -p a/b", "create folder a/b");
    does("rm -rf a", "remove a");
    does("mv a b", "move a to b");
    does("cp -r a b dir", "copy a, b to dir");
    does("chmod +x run.sh", "set the mode of run.sh to +x");
    does("head -n 20 a", "show the first 20 lines of a");
    does("head -5 a", "show the first 5 lines of a");
    does("tail -f log", "follow log");
    does("jq '.a' x.json", "pick from JSON in x.json");
    does("psql -d shop -c 'select 1'", "run SQL in shop");
    does("psql shop", "connect to database shop");
    does("git --version", "show the version of git");
}

#[test]
fn what_is_not_known_is_run() {
    does("frobnicate --all x", "run frobnicate");
    does("./build.sh now", "run ./build.sh");
    does("/opt/x/bin/tool", "run /opt/x/bin/tool");
    does("frobnicate --version", "run frobnicate");
    does("", "run a command");
    does("# nothing", "run a command");
}

#[test]
fn commands_are_joined_as_they_follow_each_other() {
    does("cat a | sort | uniq -c", "show a → sort lines → drop repeated lines");
    does("mkdir a && cd a", "create folder a then go to a");
    does("make; make install", "build with make then build install with make");
    does("ls x || echo no", "list files in x or else print text");
    does("cat a |\n  sort", "show a → sort lines");
    does("(cd a && ls) | wc -l", "go to a then list files → count lines and words");
    does("sleep 5 & ls", "wait 5 s then list files");
    does("make 2>&1 | tail -3", "build with make → show the last 3 lines");
    does("make >/dev/null 2>err.log", "build with make");
    does("sort < in > out", "sort in into out");
    does("echo a>>log", "print text into log");
    does("make &> all.log", "build with make into all.log");
    does("cat > a.txt <<'EOF'\nrm -rf /\nEOF\nls", "show text into a.txt then list files");
    does("ls # && rm x", "list files");
}

#[test]
fn quotes_variables_and_what_stands_before_a_program_are_understood() {
    does("FOO=1 BAR='x y' node a.js", "run JS script a.js");
    does("FOO=1", "set FOO");
    does("cat 'a b' \"c d\" e\\ f", "show a b, c d, e f");
    does("cat \"$HOME/a\" $(ls | head -1)", "show $HOME/a, $(ls | head -1)");
    does("grep 'a|b && c' f", "search for \"a|b && c\" in f");
    does("sudo -u root systemctl stop x", "stop service x");
    does("env A=1 timeout -k 5 10 nice -n 5 cargo build", "build Rust code");
    does("find . -name x | xargs -n 1 rm -f", "find \"x\" in . → remove files");
    does("uv run pytest tests", "run Python tests in tests");
    does("bash -lc 'git pull && make'", "pull git commits then build with make");
    does("sh setup.sh", "run shell script setup.sh");
    does("for f in *.c; do gcc $f; done", "compile $f");
    does("if [ -f a ]; then rm a; fi", "check a condition then remove a");
    does("echo \"a \\\" | rm b\"", "print text");
    does("echo 'unclosed | rm", "print text");
    does("git \\\n  status", "show the git status");
    does("sudo", "run sudo");
    does("sh -c \"sh -c \\\"sh -c 'ls'\\\"\"", "list files");
    does(&"sudo ".repeat(20_000), "run sudo");
}

proptest! {
    #[test]
    fn any_command_is_told_in_one_line(command in ".{0,300}") {
        let arguments = serde_json::json!({ "command": command }).to_string();
        let shown = told("exec", &arguments, ToolDetail::Raw);
        prop_assert!(!shown.contains('\n'));
        prop_assert!(shown.chars().count() <= 340, "{shown}");
    }

    #[test]
    fn any_shell_is_read_to_its_end(script in r#"[a-z '"\\$()`|&;<>{}=#\n-]{0,120}"#) {
        prop_assert!(!explain::explain(&script).is_empty());
    }
}
