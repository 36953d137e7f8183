//! How fast text passes the think tag filter: in the small pieces of a stream, and hostile text in one piece.
#![allow(missing_docs, reason = "the macro makes a function without one")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pensive_models::TagFilter;

fn filter(text: &str, size: usize) -> usize {
    let (mut filter, mut events) = (TagFilter::default(), Vec::new());
    let mut given = 0;
    for piece in text.as_bytes().chunks(size) {
        filter.push(String::from_utf8_lossy(piece).into_owned(), &mut events);
        given += events.len();
        events.clear();
    }
    filter.finish(&mut events);
    given + events.len()
}

fn tags(bench: &mut Criterion) {
    let plain = "Plain words, as an answer mostly is made of them.\n".repeat(1 << 20 >> 5);
    let angles = "<".repeat(1 << 20);
    let almost = "<think a=".repeat((1 << 20) / 9);
    let ticks = "`a``b```<\n".repeat((1 << 20) / 10);
    let mut group = bench.benchmark_group("tags");
    for (name, text, size) in [
        ("plain, pieces of 4 KiB", &plain, 4096),
        ("plain, pieces of 64 bytes", &plain, 64),
        ("angles", &angles, 1 << 20),
        ("angles, letter by letter", &angles, 1),
        ("unfinished tags", &almost, 1 << 20),
        ("backticks", &ticks, 1 << 20),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| filter(black_box(text), size)));
    }
    group.finish();
}

criterion_group!(benches, tags);
criterion_main!(benches);
