//! The programs whose options decide what they do.

use super::super::arguments::listed;
use super::{Call, is_cluster, is_option};

/// The programs that are known here.
pub(super) const KNOWN: &[&str] = &[
    "node", "npm", "python", "pip", "grep", "find", "sed", "awk", "curl", "wget", "tar", "mv", "cp", "chmod",
    "chown", "head", "tail", "jq", "psql", "docker", "kubectl", "sh", "git", "cargo",
];

/// What it does, where its options tell.
pub(super) fn told(call: &Call<'_>) -> Option<String> {
    match call.program {
        "node" => Some(node(call)),
        "npm" => npm(call),
        "python" => Some(python(call)),
        "pip" => pip(call),
        "grep" => Some(grep(call)),
        "find" => Some(find(call)),
        "sed" => Some(sed(call)),
        "awk" => Some(awk(call)),
        "curl" | "wget" => Some(fetch(call)),
        "tar" => Some(tar(call)),
        "mv" => Some(moved(call, "move")),
        "cp" => Some(moved(call, "copy")),
        "chmod" => Some(changed(call, "mode")),
        "chown" => Some(changed(call, "owner")),
        "head" => Some(end(call, "first")),
        "tail" if call.has(&["-f", "-F", "--follow"]) => Some(on("follow text", "follow", &call.operands())),
        "tail" => Some(end(call, "last")),
        "jq" => Some(jq(call)),
        "psql" => Some(psql(call)),
        "sh" => Some(on("start a shell", "run shell script", call.operands().get(..1).unwrap_or_default())),
        "docker" if call.operands().first() == Some(&"run") => {
            Some(on("run a container", "run a container of", call.operands().get(1..2).unwrap_or_default()))
        }
        "kubectl" if call.operands().first() == Some(&"apply") => {
            let files: Vec<&str> = call.value(&["-f", "--filename", "-k"]).into_iter().collect();
            Some(on("apply Kubernetes resources", "apply Kubernetes resources of", &files))
        }
        "git" if call.operands().first() == Some(&"checkout") => branch(call, &["-b", "-B"]),
        "git" if call.operands().first() == Some(&"switch") => branch(call, &["-c", "-C", "--create"]),
        // `+nightly` and the like choose the compiler.
        "cargo" => {
            let rest = call.words.split_first().filter(|(first, _)| first.starts_with('+'))?.1;
            Call { program: call.program, words: rest }.told()
        }
        _ => None,
    }
}

/// The bare words, or the others with what they are about.
fn on(bare: &str, with: &str, operands: &[&str]) -> String {
    if operands.is_empty() { bare.to_owned() } else { format!("{with} {}", listed(operands)) }
}

fn branch(call: &Call<'_>, options: &[&str]) -> Option<String> {
    call.value(options).map(|name| format!("create git branch {name}"))
}

fn node(call: &Call<'_>) -> String {
    let operands = call.operands();
    let script = operands.get(..1).unwrap_or_default();
    if call.has(&["--check", "-c"]) {
        on("check JS syntax", "check JS syntax for", &operands)
    } else if call.has(&["--test"]) {
        on("run JS tests", "run JS tests in", &operands)
    } else if call.has(&["-e", "--eval", "-p", "--print"]) {
        "run inline JS".to_owned()
    } else {
        on("run JS", "run JS script", script)
    }
}

/// A word that is no subcommand is a script of the project's.
fn npm(call: &Call<'_>) -> Option<String> {
    let operands = call.operands();
    let (sub, _) = operands.split_first()?;
    let key = format!("npm {sub}");
    if *sub == "run" {
        return Some(on("list scripts", "run script", operands.get(1..2).unwrap_or_default()));
    }
    let is_known = super::VERBS.iter().any(|verb| verb.key == key);
    (!is_known).then(|| format!("run script {sub}"))
}

fn python(call: &Call<'_>) -> String {
    // What stands behind module or code belongs to that.
    let at = call.words.iter().position(|word| word == "-m" || word == "-c" || !is_option(word));
    let rest = at.and_then(|at| call.words.get(at..)).unwrap_or_default();
    match rest {
        [flag, module, rest @ ..] if flag == "-m" => module_run(module, rest),
        [flag, ..] if flag == "-c" => "run inline Python".to_owned(),
        [script, ..] if script != "-" => format!("run Python script {script}"),
        _ => "run Python".to_owned(),
    }
}

fn module_run(module: &str, rest: &[String]) -> String {
    let inner = |program| Call { program, words: rest };
    match module {
        "pytest" | "unittest" => on("run Python tests", "run Python tests in", &inner("py.test").operands()),
        "venv" | "virtualenv" => {
            on("create a Python environment", "create Python environment", &inner("venv").operands())
        }
        "pip" => inner("pip").told().unwrap_or_else(|| "run pip".to_owned()),
        "http.server" => "serve files over HTTP".to_owned(),
        "json.tool" => on("format JSON", "format JSON of", &inner("json.tool").operands()),
        "py_compile" | "compileall" => {
            on("check Python syntax", "check Python syntax for", &inner("py_compile").operands())
        }
        _ => format!("run Python module {module}"),
    }
}

fn pip(call: &Call<'_>) -> Option<String> {
    let file = call.value(&["-r", "--requirement"])?;
    (call.operands() == ["install"]).then(|| format!("install Python packages from {file}"))
}

fn grep(call: &Call<'_>) -> String {
    let operands = call.operands();
    if call.has(&["--files"]) {
        return on("list files", "list files in", &operands);
    }
    let (pattern, files) = match call.value(&["-e", "--regexp"]) {
        Some(pattern) => (Some(pattern), operands.as_slice()),
        None => (operands.first().copied(), operands.get(1..).unwrap_or_default()),
    };
    let what =
        pattern.map_or_else(|| "search text".to_owned(), |pattern| format!("search for \"{pattern}\""));
    on(&what, &format!("{what} in"), files)
}

fn find(call: &Call<'_>) -> String {
    let is_test = |word: &&String| is_option(word) || *word == "(" || *word == "!";
    let places: Vec<&str> = call.words.iter().take_while(|word| !is_test(word)).map(String::as_str).collect();
    let name = call.value(&["-name", "-iname", "-path", "-ipath", "-regex"]);
    let what = match (name, call.value(&["-type"])) {
        (Some(name), _) => format!("\"{name}\""),
        (None, Some("d")) => "folders".to_owned(),
        (None, _) => "files".to_owned(),
    };
    let found = on(&format!("find {what}"), &format!("find {what} in"), &places);
    match call.value(&["-exec", "-execdir", "-ok"]) {
        Some(program) => format!("{found} and run {program} on them"),
        None if call.has(&["-delete"]) => format!("{found} and remove them"),
        None => found,
    }
}

fn sed(call: &Call<'_>) -> String {
    let operands = call.operands();
    let given = call.value(&["-e", "--expression"]);
    let has_script = given.is_some() || call.value(&["-f", "--file"]).is_some();
    let script = given.or_else(|| operands.first().copied().filter(|_| !has_script)).unwrap_or_default();
    let files = operands.get(usize::from(!has_script)..).unwrap_or_default();
    let in_place = |word: &String| word.starts_with("--in-place") || (is_cluster(word) && word.contains('i'));
    if call.words.iter().any(in_place) {
        on("edit text", "edit", files)
    } else if let Some(lines) = printed(script).filter(|_| call.has(&["-n", "--quiet", "--silent"])) {
        on(&format!("show {lines}"), &format!("show {lines} of"), files)
    } else {
        on("transform text", "transform text of", files)
    }
}

/// The lines that a script of sed's prints, where it does only that.
fn printed(script: &str) -> Option<String> {
    let range = script.strip_suffix('p')?;
    let is_line = |text: &str| text == "$" || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()));
    match range.split_once(',') {
        None => is_line(range).then(|| format!("line {range}")),
        Some((from, "$")) => is_line(from).then(|| format!("line {from} to the end")),
        Some((from, to)) => (is_line(from) && is_line(to)).then(|| format!("lines {from}-{to}")),
    }
}

fn awk(call: &Call<'_>) -> String {
    let own = usize::from(call.value(&["-f"]).is_none());
    on("process text", "process text of", call.operands().get(own..).unwrap_or_default())
}

fn fetch(call: &Call<'_>) -> String {
    const SENT: &[&str] =
        &["-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form", "--post-data"];
    let operands = call.operands();
    let sent =
        call.words.iter().any(|word| SENT.contains(&word.as_str()) || word.starts_with("--post-data="));
    let method =
        call.value(&["-X", "--request"]).or(sent.then_some("POST")).filter(|method| *method != "GET");
    let kept = call.has(&["-O", "--remote-name", "--output"]) || call.value(&["-o"]).is_some();
    match method {
        Some(method) => on(&format!("send {method}"), &format!("send {method} to"), &operands),
        None if call.has(&["-I", "--head", "--spider"]) => on("check a page", "check", &operands),
        None if kept || call.program == "wget" => on("download a file", "download", &operands),
        None => on("fetch a page", "fetch", &operands),
    }
}

fn tar(call: &Call<'_>) -> String {
    let first = call.words.first().map(String::as_str).unwrap_or_default();
    // The oldest way to write it has no dash.
    let letters = if is_option(first) { "" } else { first };
    let does =
        |letter: char, long: &str| letters.contains(letter) || call.has(&[&format!("-{letter}"), long]);
    let holds_file = |word: &&String| word.ends_with('f') && (is_cluster(word) || *word == letters);
    let behind = call.words.iter().skip_while(|word| !holds_file(word)).nth(1);
    let file: Vec<&str> =
        behind.map(String::as_str).or_else(|| call.value(&["--file"])).into_iter().collect();
    if does('x', "--extract") {
        on("extract an archive", "extract archive", &file)
    } else if does('t', "--list") {
        on("list an archive", "list archive", &file)
    } else if does('c', "--create") {
        on("create an archive", "create archive", &file)
    } else {
        "run tar".to_owned()
    }
}

fn moved(call: &Call<'_>, verb: &str) -> String {
    match call.operands().split_last() {
        Some((to, from)) if !from.is_empty() => format!("{verb} {} to {to}", listed(from)),
        Some((only, _)) => format!("{verb} {only}"),
        None => format!("{verb} files"),
    }
}

fn changed(call: &Call<'_>, what: &str) -> String {
    // A mode such as `-x` looks like an option.
    let words: Vec<&str> = call.words.iter().map(String::as_str).filter(|word| *word != "-R").collect();
    match words.split_first() {
        Some((value, files)) if !files.is_empty() => {
            format!("set the {what} of {} to {value}", listed(files))
        }
        Some(_) | None => format!("change the {what} of files"),
    }
}

fn end(call: &Call<'_>, which: &str) -> String {
    let short =
        || call.words.iter().find_map(|word| word.strip_prefix("-n").or_else(|| word.strip_prefix('-')));
    let count = call.value(&["-n", "--lines"]).or_else(short);
    let count = count.filter(|count| count.parse::<u64>().is_ok()).unwrap_or("10");
    let lines = if count == "1" { format!("{which} line") } else { format!("{which} {count} lines") };
    on(&format!("show the {lines}"), &format!("show the {lines} of"), &call.operands())
}

fn jq(call: &Call<'_>) -> String {
    let own = usize::from(call.value(&["-f", "--from-file"]).is_none());
    on("pick from JSON", "pick from JSON in", call.operands().get(own..).unwrap_or_default())
}

fn psql(call: &Call<'_>) -> String {
    let database: Vec<&str> =
        call.value(&["-d", "--dbname"]).or_else(|| call.operands().first().copied()).into_iter().collect();
    if call.value(&["-c", "--command"]).is_some() {
        on("run SQL", "run SQL in", &database)
    } else if let Some(file) = call.value(&["-f", "--file"]) {
        format!("run SQL from {file}")
    } else if call.has(&["-l", "--list"]) {
        "list databases".to_owned()
    } else {
        on("connect to the database", "connect to database", &database)
    }
}
