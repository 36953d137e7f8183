//! Figures on their way to a reader: one table for people, one JSON file for machines.

use std::{fmt, fs, io, path::Path};

use serde::Serialize;

/// One measured thing.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// Its unit.
    pub unit: &'static str,
    /// The value that is aimed at, and on which side of it is good.
    pub aim: Option<Aim>,
    /// What came out.
    pub measured: f64,
    /// How it was measured, in a few words.
    pub note: String,
}

/// What is hoped for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Aim {
    /// No more than this.
    Most(f64),
    /// Exactly this.
    Exactly(f64),
}

impl Aim {
    fn met(self, measured: f64) -> bool {
        match self {
            Self::Most(most) => measured <= most,
            Self::Exactly(value) => (measured - value).abs() < 1e-9,
        }
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Most(most) => write!(f, "≤ {}", short(*most)),
            Self::Exactly(value) => write!(f, "= {}", short(*value)),
        }
    }
}

/// Figures in the order in which they are shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// The rows.
    pub figures: Vec<Figure>,
}

impl Figures {
    /// Adds a figure; [`Figure::aim`] and the like are set on what is given back.
    pub fn add(&mut self, what: impl Into<String>, unit: &'static str, measured: f64) -> &mut Figure {
        let figure = Figure { what: what.into(), unit, aim: None, measured, note: String::new() };
        // Printed as it comes, so that a long run shows that it lives.
        eprintln!("  {} {} {}", figure.what, short(measured), unit);
        self.figures.push_mut(figure)
    }

    /// Writes the JSON file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text)
    }
}

impl Figure {
    /// Sets the most that is hoped for.
    pub fn at_most(&mut self, most: f64) -> &mut Self {
        self.aim = Some(Aim::Most(most));
        self
    }

    /// Sets the one right value.
    pub fn exactly(&mut self, value: f64) -> &mut Self {
        self.aim = Some(Aim::Exactly(value));
        self
    }

    /// Says how it was measured.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.note = note.into();
        self
    }

    fn verdict(&self) -> &'static str {
        match self.aim {
            None => "",
            Some(aim) if aim.met(self.measured) => "✓",
            Some(_) => "✗",
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| what | unit | aim | measured | | note |")?;
        writeln!(f, "| --- | --- | ---: | ---: | --- | --- |")?;
        for figure in &self.figures {
            let aim = figure.aim.map(|aim| aim.to_string()).unwrap_or_default();
            let measured = short(figure.measured);
            let Figure { what, unit, note, .. } = figure;
            writeln!(f, "| {what} | {unit} | {aim} | {measured} | {} | {note} |", figure.verdict())?;
        }
        Ok(())
    }
}

/// Three significant digits, no exponent.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 || v.fract() == 0.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_aim_and_verdict() {
        let mut figures = Figures::default();
        figures.add("idle", "MiB", 17.25).at_most(18.0).note("after 2 s");
        figures.add("requests", "", 1.01).exactly(1.0);
        figures.add("rate", "1/s", 1234.5);
        let table = figures.to_string();
        assert!(table.contains("| idle | MiB | ≤ 18 | 17.2 | ✓ | after 2 s |"), "{table}");
        assert!(table.contains("| requests |  | = 1 | 1.01 | ✗ |  |"), "{table}");
        assert!(table.contains("| rate | 1/s |  | 1234 |  |  |") || table.contains("| 1235 |"), "{table}");
    }
}
