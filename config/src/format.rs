//! Texts with a meaning: words of directives, durations, addresses, hours, time zones, models. Each is read in one place, and
//! found again by the name that the schema gives it.

use std::net::SocketAddr;
use std::time::Duration;

use pensive_contract::model::ModelRef;
use pensive_directives::{Fast, Level, QueueMode, Reasoning, Verbose};

use crate::file::values::{Reading, Span};
use crate::nearest::nearest;

/// How texts of one kind are checked.
pub(crate) struct Format {
    /// What the schema calls it.
    pub(crate) name: &'static str,
    /// Whether a text is one.
    pub(crate) accepts: fn(&str) -> bool,
    /// What is allowed, to be put behind `must be`.
    pub(crate) allowed: fn() -> String,
    /// The right text that a wrong one was meant to be.
    pub(crate) near: fn(&str) -> Option<String>,
}

const fn format<T: Reading>() -> Format {
    Format { name: T::FORMAT, accepts: |text| T::read(text).is_some(), allowed: T::allowed, near: T::near }
}

const FORMATS: &[Format] = &[
    format::<Level>(),
    format::<Fast>(),
    format::<Verbose>(),
    format::<Reasoning>(),
    format::<QueueMode>(),
    format::<Span>(),
    format::<Url>(),
    format::<BaseUrl>(),
    format::<Address>(),
    format::<ClockTime>(),
    format::<Timezone>(),
    format::<Model>(),
];

/// The format that the schema calls so; nothing for those that JSON Schema brings along.
pub(crate) fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

macro_rules! words {
    ($family:ident, $name:literal) => {
        impl Reading for $family {
            const FORMAT: &'static str = $name;

            fn examples() -> Vec<&'static str> {
                $family::ALL.iter().map(|value| value.name()).collect()
            }

            fn read(text: &str) -> Option<Self> {
                $family::normalise(text)
            }
        }
    };
}

words!(Level, "thinking level");
words!(Fast, "fast mode");
words!(Verbose, "verbose level");
words!(Reasoning, "reasoning visibility");
words!(QueueMode, "queue mode");

impl Reading for Span {
    const FORMAT: &'static str = "duration";

    fn allowed() -> String {
        "a number and a unit (s, m, h, d), like \"30m\" or \"1h30m\"; a number alone is minutes".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        if let Ok(minutes) = text.trim().parse::<u32>() {
            return Some(Self(Duration::from_secs(u64::from(minutes) * 60)));
        }
        let mut seconds = 0_u64;
        let mut rest = text.trim();
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            let (number, after) = rest.split_at_checked(digits)?;
            let mut letters = after.chars();
            let unit = match letters.next()? {
                's' => 1,
                'm' => 60,
                'h' => 3600,
                'd' => 86_400,
                _ => return None,
            };
            seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
            rest = letters.as_str().trim_start();
        }
        // A year; what is longer is a slip.
        (!text.trim().is_empty() && seconds <= 366 * 86_400).then(|| Self(Duration::from_secs(seconds)))
    }
}

/// An http or https address, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url(pub(crate) String);

impl Reading for Url {
    const FORMAT: &'static str = "uri";

    fn allowed() -> String {
        "an address that begins with http:// or https:// and has no ? or #".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        let BaseUrl(url) = BaseUrl::read(text)?;
        (!url.contains('?')).then_some(Self(url))
    }
}

/// An address that a path is put into. Its query, such as an API version, goes along with every call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(pub(crate) String);

impl Reading for BaseUrl {
    const FORMAT: &'static str = "base-url";

    fn allowed() -> String {
        "an address that begins with http:// or https:// and has no #".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        let url = url::Url::parse(text.trim()).ok()?;
        let speakable = matches!(url.scheme(), "http" | "https") && url.has_host();
        let whole = url.fragment().is_none();
        (speakable && whole).then(|| Self(text.trim().trim_end_matches('/').to_owned()))
    }
}

/// Where to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address(pub(crate) SocketAddr);

impl Reading for Address {
    const FORMAT: &'static str = "address";

    fn allowed() -> String {
        "an IP address and a port, like \"127.0.0.1:7878\" or \"[::1]:7878\"".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok().map(Self)
    }
}

/// A minute of the day; 1440 is the midnight that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockTime(pub(crate) u16);

impl Reading for ClockTime {
    const FORMAT: &'static str = "time of day";

    fn allowed() -> String {
        "hours and minutes from \"00:00\" to \"24:00\"".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        let (hours, minutes) = text.trim().split_once(':')?;
        let digits = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(hours) || minutes.len() != 2 || !digits(minutes) {
            return None;
        }
        let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
        let minute = hours * 60 + minutes;
        (minutes < 60 && minute <= 1440).then_some(Self(minute))
    }
}

/// An IANA time zone; nothing for the machine's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timezone(pub(crate) Option<String>);

impl Reading for Timezone {
    const FORMAT: &'static str = "time zone";

    fn allowed() -> String {
        "an IANA name like \"Europe/Rome\", or \"local\"".to_owned()
    }

    fn near(text: &str) -> Option<String> {
        let names: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
        nearest(text, names.iter().map(String::as_str)).map(str::to_owned)
    }

    fn read(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("local") {
            return Some(Self(None));
        }
        let zone = jiff::tz::db().get(text).ok()?;
        zone.iana_name().map(|name| Self(Some(name.to_owned())))
    }
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model(pub(crate) ModelRef);

impl Reading for Model {
    const FORMAT: &'static str = "model";

    fn allowed() -> String {
        "a model as \"provider/model\", like \"openai/gpt-5.6-sol\"".to_owned()
    }

    fn read(text: &str) -> Option<Self> {
        let model = ModelRef::parse(text)?;
        text.chars().all(|c| !c.is_whitespace() && !c.is_control()).then_some(Self(model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("30m", Some(1800)),
            ("30", Some(1800)),
            ("0m", Some(0)),
            ("1h30m", Some(5400)),
            ("1h 30m", Some(5400)),
            ("45s", Some(45)),
            ("2d", Some(172_800)),
            ("", None),
            ("m", None),
            ("-5m", None),
            ("5x", None),
            ("5m5", None),
            ("99999999999999999999m", None),
            ("400d", None),
        ] {
            assert_eq!(Span::read(text).map(|span| span.0.as_secs()), seconds, "{text}");
        }
    }

    #[test]
    fn times_of_day() {
        for (text, minute) in [
            ("08:00", Some(480)),
            ("8:05", Some(485)),
            ("00:00", Some(0)),
            ("24:00", Some(1440)),
            ("24:01", None),
            ("12:60", None),
            ("12:5", None),
            ("+1:00", None),
            ("12", None),
        ] {
            assert_eq!(ClockTime::read(text).map(|time| time.0), minute, "{text}");
        }
    }

    #[test]
    fn addresses_and_models() {
        let url = |text: &str| Url::read(text).map(|url| url.0);
        assert_eq!(url("http://127.0.0.1:8000/v1/").as_deref(), Some("http://127.0.0.1:8000/v1"));
        assert_eq!(url("api.telegram.org"), None);
        assert_eq!(url("ftp://x"), None);
        assert_eq!(url("https://"), None);
        assert_eq!(url("https://x/?a=b"), None);
        assert_eq!(url("https://x/#a"), None);
        let base = |text: &str| BaseUrl::read(text).map(|url| url.0);
        let azure = "https://x/openai?api-version=1";
        assert_eq!(base(azure).as_deref(), Some(azure), "an API version goes along");
        assert_eq!(base("http://127.0.0.1:8000/v1/").as_deref(), Some("http://127.0.0.1:8000/v1"));
        assert_eq!(base("https://x/#a"), None);
        assert_eq!(base("ftp://x?a"), None);
        assert!(Address::read("127.0.0.1:7878").is_some() && Address::read("[::1]:0").is_some());
        assert!(Address::read("localhost:1").is_none() && Address::read("7878").is_none());
        assert!(Model::read("openai/@cf/x").is_some() && Model::read("openrouter/a/b:free").is_some());
        assert!(
            Model::read("gpt-5").is_none()
                && Model::read("openai/a b").is_none()
                && Model::read("/x").is_none()
        );
    }

    #[test]
    fn time_zones() {
        assert_eq!(Timezone::read("Europe/Rome"), Some(Timezone(Some("Europe/Rome".into()))));
        assert_eq!(Timezone::read("local"), Some(Timezone(None)));
        assert_eq!(Timezone::read("Europe/Roma"), None);
        assert_eq!(Timezone::near("Europe/Roma").as_deref(), Some("Europe/Rome"));
    }

    #[test]
    fn words_have_their_aliases_and_near_ones() {
        assert_eq!(Level::read("Extra-High"), Some(Level::Xhigh));
        assert_eq!(<Level as Reading>::near("hgih").as_deref(), Some("high"));
        assert_eq!(Fast::read("true"), Some(Fast::On));
        assert!(<Level as Reading>::allowed().starts_with("one of off, minimal, low"));
    }
}
