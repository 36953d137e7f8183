//! How fast answers are laid out and split, plain and hostile.
#![allow(missing_docs, reason = "the macros of criterion write the main function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pensive_contract::outward::Body;
use pensive_discord::render;

const MIB: usize = 1 << 20;

fn answers(c: &mut Criterion) {
    let prose =
        "A *sentence* with `code`, a [link](https://example.org/a) and **bold** words.\n\n- one\n- two\n\n";
    let cases = [
        ("prose", prose.repeat(MIB / prose.len())),
        ("one fence", format!("```rust\n{}\n```", "let x = 1; // so\n".repeat(MIB / 17))),
        ("many fences", "```rust\nlet x = 1;\n```\n\n".repeat(MIB / 25)),
        ("no break", "x".repeat(MIB)),
        ("emoji", "👩‍👩‍👧‍👦".repeat(MIB / 25)),
        ("brackets", "[".repeat(MIB)),
        ("stars", "*a_".repeat(MIB / 3)),
        ("quotes", ">".repeat(MIB)),
        ("addresses", "https://example.org/a_b ".repeat(MIB / 24)),
        ("code spans", "`a` ".repeat(MIB / 4)),
        ("right to left", "שלום `x` /etc/hosts עולם?\n".repeat(MIB / 36)),
    ];
    let mut group = c.benchmark_group("render 1 MiB");
    group.sample_size(10);
    for (name, text) in cases {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let body = Body::Markdown(text);
        group.bench_function(name, |b| b.iter(|| render(&body)));
    }
    group.finish();
}

criterion_group!(benches, answers);
criterion_main!(benches);
