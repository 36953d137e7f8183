//! How long reading a message takes: everyday ones, and 1 MiB of what would hurt a careless reader.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pensive_directives::{Typed, parse};

const MEBIBYTE: usize = 1 << 20;

fn read(text: &str) {
    black_box(parse(&Typed { text: black_box(text), bot_name: Some("PensiveBot"), ..Typed::default() }));
}

fn everyday(criterion: &mut Criterion) {
    let messages = [
        ("plain", "Could you look at the deployment and tell me why the second replica never becomes ready?"),
        ("only", "/think high"),
        ("mixed", "/think high /v on please explain Raft's joint consensus to me"),
        ("code", "why does this fail?\n```rust\nfn main() { println!(\"/think high\"); }\n```\n/t:low"),
        ("paths", "compare /etc/hosts with /tmp/hosts and http://example.org/think, then write /tmp/out"),
    ];
    let mut group = criterion.benchmark_group("everyday");
    for (name, text) in messages {
        group.bench_function(name, |bencher| bencher.iter(|| read(text)));
    }
    group.finish();
}

fn hostile(criterion: &mut Criterion) {
    let growing: String = (1..1440).map(|length| "`".repeat(length) + " ").collect();
    let messages = [
        ("prose", "the quick brown fox jumps over the lazy dog. ".repeat(MEBIBYTE / 45)),
        ("slashes", "/".repeat(MEBIBYTE)),
        ("lone slashes", "/ ".repeat(MEBIBYTE / 2)),
        ("bare names", "/t ".repeat(MEBIBYTE / 3)),
        ("values", "/t high a ".repeat(MEBIBYTE / 10)),
        ("backticks", "` `` ".repeat(MEBIBYTE / 5)),
        ("growing backticks", growing),
        ("blanks", "/t ".to_owned() + &" ".repeat(MEBIBYTE)),
        ("fences", "```\n".repeat(MEBIBYTE / 4)),
        ("markers", "- ".repeat(MEBIBYTE / 2)),
        ("one word", "/t ".to_owned() + &"x".repeat(MEBIBYTE)),
    ];
    let mut group = criterion.benchmark_group("hostile");
    group.sample_size(20);
    for (name, text) in messages {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| read(&text)));
    }
    group.finish();
}

criterion_group!(benches, everyday, hostile);
criterion_main!(benches);
