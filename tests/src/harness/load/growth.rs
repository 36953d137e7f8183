//! What a message costs when the store holds many sessions. The store is filled by its own import: what the daemon wrote
//! for one person is written again for as many others as are wanted.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tokio::{process::Command, time::sleep};

use super::{
    bench::{Bench, Traffic},
    quick::mib,
};
use crate::{
    harness::{figures::Figures, home::Home},
    telegram::Person,
};

/// Whose records are copied: a number that stands nowhere else in them.
const PATTERN: i64 = 777_000_777;
/// Copies are numbered from here.
pub(super) const FIRST: i64 = 2_000_000_000;
/// Messages at each size.
const MESSAGES: usize = 200;

/// Latency, processor time, memory and start at each size.
pub(super) async fn measure(bench: &mut Bench, sizes: &[usize], figures: &mut Figures) -> Result<()> {
    let pattern = pattern(bench).await?;
    for size in sizes {
        at_size(bench, &pattern, *size, figures).await.with_context(|| format!("{size} sessions"))?;
    }
    Ok(())
}

/// What the daemon keeps of one person who has set something and asked something.
async fn pattern(bench: &mut Bench) -> Result<Vec<String>> {
    let person = bench.world.telegram.user_with_id(PATTERN, "Pattern");
    person.start(&bench.world.telegram.bot());
    let people = std::mem::replace(&mut bench.people, vec![person]);
    let home = bench.home(4)?;
    let (daemon, _) = bench.start(&home).await?;
    bench.one_by_one(&daemon, 1, 1, Traffic::Directive).await?;
    bench.one_by_one(&daemon, 1, 1, Traffic::Question).await?;
    bench.end(daemon).await?;
    bench.people = people;
    let file = home.path().join("pattern.jsonl");
    store(bench, &home, "export", &file).await?;
    Ok(std::fs::read_to_string(file)?.lines().map(str::to_owned).collect())
}

async fn at_size(bench: &mut Bench, pattern: &[String], size: usize, figures: &mut Figures) -> Result<()> {
    let home = bench.home(16)?;
    let file = home.path().join("sessions.jsonl");
    multiply(pattern, size, &file)?;
    let begun = Instant::now();
    store(bench, &home, "import", &file).await?;
    let filled = begun.elapsed();
    std::fs::remove_file(file)?;
    let spread = spread(bench, size);
    let people = std::mem::replace(&mut bench.people, spread);
    let (daemon, up) = bench.start(&home).await?;
    sleep(Duration::from_secs(2)).await;
    let idle = daemon.usage()?.rss;
    let writers = bench.people.len();
    let directives = bench.one_by_one(&daemon, writers, MESSAGES, Traffic::Directive).await?;
    let questions = bench.one_by_one(&daemon, writers, MESSAGES, Traffic::Question).await?;
    let after = daemon.usage()?.rss;
    bench.end(daemon).await?;
    bench.people = people;
    let name = |what: &str| format!("{what}, {size} sessions");
    let ms = |span: Duration| span.as_secs_f64() * 1e3;
    figures.add(name("directive → acknowledgement, p50"), "ms", directives.to_answer.median()).note(format!(
        "p99 {:.2}; CPU {:.2} ms",
        directives.to_answer.p99(),
        ms(directives.cpu)
    ));
    figures.add(name("question → answer, p50"), "ms", questions.to_answer.median()).note(format!(
        "p99 {:.2}; CPU {:.2} ms",
        questions.to_answer.p99(),
        ms(questions.cpu)
    ));
    figures
        .add(name("exec → first getUpdates"), "ms", ms(up))
        .note(format!("filled in {filled:.1?}; {:.0} MiB on disk", home.store_bytes() as f64 / 1_048_576.0));
    figures.add(name("idle memory"), "MiB", mib(idle)).note(format!("{:.1} after the messages", mib(after)));
    Ok(())
}

/// People whose sessions lie all over the store.
fn spread(bench: &Bench, size: usize) -> Vec<Person> {
    let telegram = &bench.world.telegram;
    let step = (size / MESSAGES).max(1);
    let ids = (0..MESSAGES.min(size)).map(|n| FIRST + i64::try_from(n * step).unwrap_or_default());
    ids.map(|id| {
        let person = telegram.user_with_id(id, "Somebody");
        person.start(&telegram.bot());
        person
    })
    .collect()
}

/// Writes an export in which the pattern person's records stand `size` times, each time for somebody else.
fn multiply(pattern: &[String], size: usize, file: &Path) -> Result<()> {
    let marker = PATTERN.to_string();
    let mut out = BufWriter::new(File::create(file)?);
    let session = session_of(pattern).context("the export shows no session")?;
    let (copied, kept): (Vec<&String>, Vec<&String>) =
        pattern.iter().partition(|line| line.contains(&marker) || line.contains(&session));
    ensure!(!copied.is_empty(), "the export shows nothing of the pattern person");
    // The first line and the last frame the records; the last counts them.
    let (last, kept) = kept.split_last().context("the export is empty")?;
    for line in kept {
        writeln!(out, "{line}")?;
    }
    for number in 0..size {
        let id = (FIRST + i64::try_from(number)?).to_string();
        // Sessions are named after a ticket: these are above all that were given.
        let name = format!("\"s{}\"", 1_000_000 + number);
        for line in &copied {
            writeln!(out, "{}", line.replace(&marker, &id).replace(&session, &name))?;
        }
    }
    let records = kept.len() - 1 + size * copied.len();
    let mut end: serde_json::Value = serde_json::from_str(last).context("the last line of the export")?;
    *end.get_mut("lines").context("the export does not end with a count")? = records.into();
    writeln!(out, "{end}")?;
    out.flush()?;
    Ok(())
}

/// The quoted name of the pattern's session: `"s1"` and the like.
fn session_of(pattern: &[String]) -> Option<String> {
    pattern.iter().find_map(|line| {
        let start = line.match_indices("\"s").find_map(|(at, _)| {
            let rest = line.get(at + 2..)?;
            let digits = rest.find('"')?;
            let number = rest.get(..digits)?;
            (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some((at, digits))
        })?;
        line.get(start.0..start.0 + start.1 + 3).map(str::to_owned)
    })
}

async fn store(bench: &Bench, home: &Home, verb: &str, file: &Path) -> Result<()> {
    let output = Command::new(&bench.program)
        .arg("--home")
        .arg(home.path())
        .arg("--config")
        .arg(home.config())
        .args(["store", verb])
        .arg(file)
        .output()
        .await?;
    ensure!(output.status.success(), "store {verb}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_by_its_name() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(session_of(&[line.to_owned()]).as_deref(), expected, "{line}");
        };
        check(r#"{"tree":"sessions","id":"s12","x":1}"#, Some("\"s12\""));
        check(r#"{"store":"s","sender":"s1x"}"#, None);
    }

    #[test]
    fn each_copy_is_somebody_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out");
        let pattern = [
            r#"{"version":1}"#,
            r#"{"peer":"777000777","id":"s3"}"#,
            r#"{"turn":1,"id":"s3"}"#,
            r#"{"end":true,"lines":2}"#,
        ];
        multiply(&pattern.map(str::to_owned), 2, &file).expect("written");
        let text = std::fs::read_to_string(file).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[3], r#"{"peer":"2000000001","id":"s1000001"}"#);
        assert_eq!(lines[4], r#"{"turn":1,"id":"s1000001"}"#);
        assert_eq!(lines[5], r#"{"end":true,"lines":4}"#);
    }
}
