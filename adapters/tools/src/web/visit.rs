//! One visit to a page: the address judged before each connection, redirects followed by hand, the body taken up to a bound.

use std::error::Error as StdError;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures::future::BoxFuture;
use pensive_contract::tool::ToolFault;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Response, StatusCode, header, redirect};
use url::{Host, Url};

/// How much of a body is taken.
pub(super) const BODY: usize = 2 * 1024 * 1024;

/// How often a page may point elsewhere before it is given up.
const REDIRECTS: usize = 5;

/// How long a connection may take to be made; the visit as a whole has its own limit.
const CONNECT: Duration = Duration::from_secs(10);

/// What came of a visit.
#[derive(Debug)]
pub(super) struct Answer {
    /// Where the last redirect led.
    pub(super) url: Url,
    /// What the server says the body is; empty where it says nothing.
    pub(super) media: String,
    /// The body, [`BODY`] bytes at most.
    pub(super) body: BytesMut,
    /// Whether there was more of it.
    pub(super) cut: bool,
}

/// Why a page could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum Missed {
    #[error("not an address")]
    NotAnAddress,
    #[error("neither http nor https")]
    Scheme,
    #[error("an address with a name and password in it")]
    Login,
    #[error("not on the public internet")]
    NotPublic,
    #[error("more than {REDIRECTS} redirects")]
    Redirects,
    #[error("a redirect to nowhere")]
    Nowhere,
    #[error("status {0}")]
    Status(StatusCode),
    #[error("compressed though nobody asked for it")]
    Compressed,
    #[error("no end within {0:?}")]
    Slow(Duration),
    #[error("no connection")]
    Connect(#[source] reqwest::Error),
    #[error("not to be read")]
    Reading(#[source] tokio::task::JoinError),
    #[error("broken off")]
    Broken(#[source] reqwest::Error),
}

impl Missed {
    fn of(error: reqwest::Error) -> Self {
        // The URL may hold what is nobody's business, and nothing below needs it.
        let error = error.without_url();
        if refused(&error) {
            Self::NotPublic
        } else if error.is_connect() {
            Self::Connect(error)
        } else {
            Self::Broken(error)
        }
    }

    /// In words for the model and for the log.
    pub(super) fn fault(&self) -> ToolFault {
        let model = match self {
            Self::NotAnAddress => {
                "That is no address. Give a whole one, such as https://example.org/page.".to_owned()
            }
            Self::Scheme => "Only http and https addresses can be read.".to_owned(),
            Self::Login => "An address with a user name or password in it is not read.".to_owned(),
            Self::NotPublic => {
                "That address is not on the public internet; only public pages can be read.".to_owned()
            }
            Self::Redirects => format!("The page leads on and on: given up after {REDIRECTS} redirects."),
            Self::Nowhere => "The server sends elsewhere without saying where.".to_owned(),
            Self::Status(status) => format!("The server answered {status}."),
            Self::Compressed => "The server sent a compressed page that was not asked for.".to_owned(),
            Self::Slow(limit) => format!("The page did not come within {} seconds.", limit.as_secs()),
            Self::Reading(_) => "The page is there, but it cannot be read.".to_owned(),
            Self::Connect(_) => "The server could not be reached: wrong name, or it is down.".to_owned(),
            Self::Broken(_) => "The connection broke before the page was there.".to_owned(),
        };
        ToolFault { model, log: format!("page not read: {}", chain(self)) }
    }
}

/// An error with all that caused it, for the log.
pub(crate) fn chain(error: &(dyn StdError + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn refused(error: &(dyn StdError + 'static)) -> bool {
    causes(error).any(|cause| cause.is::<Refusal>())
}

fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn StdError + 'static)| (*cause).source())
}

/// Names to addresses. Tests bring their own.
pub(super) type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The machine's own resolver.
pub(super) fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// Lets through the addresses that may be connected to. It stands in the client's resolver, so that what was judged is
/// what is connected to, however often a name changes its mind.
#[derive(Clone)]
struct Gate {
    judge: fn(IpAddr) -> bool,
    lookup: Lookup,
}

#[derive(Debug, thiserror::Error)]
#[error("the name leads to a closed network")]
struct Refusal;

impl Gate {
    async fn admit(self, name: String) -> Result<Vec<IpAddr>, Box<dyn StdError + Send + Sync>> {
        let found = (self.lookup)(name).await?;
        let known = !found.is_empty();
        let open: Vec<IpAddr> = found.into_iter().filter(|address| (self.judge)(*address)).collect();
        if known && open.is_empty() { Err(Box::new(Refusal)) } else { Ok(open) }
    }
}

impl Resolve for Gate {
    fn resolve(&self, name: Name) -> Resolving {
        let admitted = self.clone().admit(name.as_str().to_owned());
        Box::pin(async move {
            let open = admitted.await?.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(open) as Addrs)
        })
    }
}

/// Fetches pages from addresses that it may connect to.
pub(super) struct Visitor {
    client: Client,
    judge: fn(IpAddr) -> bool,
}

impl Visitor {
    /// Prepares a client that asks `judge` about every address.
    pub(super) fn new(judge: fn(IpAddr) -> bool, lookup: Lookup) -> reqwest::Result<Self> {
        let client = Client::builder()
            .user_agent(concat!("Mozilla/5.0 (compatible; pensive/", env!("CARGO_PKG_VERSION"), ")"))
            .dns_resolver(Arc::new(Gate { judge, lookup }))
            // A proxy would connect in our place, to what it likes.
            .no_proxy()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { client, judge })
    }

    /// Gets a page; follows redirects, each of them judged like the first address.
    pub(super) async fn get(&self, address: &str) -> Result<Answer, Missed> {
        let mut url = Url::parse(address.trim()).map_err(|_| Missed::NotAnAddress)?;
        for _ in 0..=REDIRECTS {
            self.check(&url)?;
            let request =
                self.client.get(url.clone()).header(header::ACCEPT, "text/html,text/*;q=0.9,*/*;q=0.5");
            let response = request.send().await.map_err(Missed::of)?;
            if !leads_on(response.status()) {
                return take(url, response).await;
            }
            let target = response.headers().get(header::LOCATION).and_then(|target| target.to_str().ok());
            url = target.and_then(|target| url.join(target).ok()).ok_or(Missed::Nowhere)?;
        }
        Err(Missed::Redirects)
    }

    /// What can be said of an address before anything is connected. An address in numbers never comes to the resolver; in
    /// whatever form it was written, the parser has made it one of these.
    fn check(&self, url: &Url) -> Result<(), Missed> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Missed::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Missed::Login);
        }
        let open = match url.host() {
            None => return Err(Missed::NotAnAddress),
            Some(Host::Domain(_)) => true,
            Some(Host::Ipv4(address)) => (self.judge)(address.into()),
            Some(Host::Ipv6(address)) => (self.judge)(address.into()),
        };
        if open { Ok(()) } else { Err(Missed::NotPublic) }
    }
}

fn leads_on(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

async fn take(url: Url, mut response: Response) -> Result<Answer, Missed> {
    if !response.status().is_success() {
        return Err(Missed::Status(response.status()));
    }
    let named = |name| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    let coding = named(header::CONTENT_ENCODING);
    if !coding.is_empty() && !coding.eq_ignore_ascii_case("identity") {
        return Err(Missed::Compressed);
    }
    let media = named(header::CONTENT_TYPE);
    let mut body = BytesMut::new();
    while let Some(piece) = response.chunk().await.map_err(Missed::of)? {
        let room = BODY - body.len();
        if piece.len() > room {
            body.extend_from_slice(piece.get(..room).unwrap_or_default());
            return Ok(Answer { url, media, body, cut: true });
        }
        body.extend_from_slice(&piece);
    }
    Ok(Answer { url, media, body, cut: false })
}
