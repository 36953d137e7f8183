//! One WebSocket connection to the gateway. No compression is asked for: a bot that reads messages alone hears a few kilobytes
//! a minute, and a shared compression context would be one more thing that can break in the middle of a stream.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use pensive_contract::clock::{Clock, within};
use reqwest::Url;
use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::header::{HeaderValue, USER_AGENT};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config};

const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// A frame of ours is small: what does not leave in this time never will.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// Whether a close arrives is not worth more.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);
/// A guild with all its channels, threads and roles stays far below.
const MOST_BYTES: usize = 16 << 20;
/// Any code but 1000 and 1001 keeps the session
/// (<https://docs.discord.com/developers/events/gateway#initiating-a-disconnect>).
const KEEPS_SESSION: CloseCode = CloseCode::Library(4000);

/// Makes connections.
pub(crate) struct Dialer {
    clock: Arc<dyn Clock>,
    /// Whether the server's own address is without TLS, so that the gateway may be.
    plain: bool,
    tls: OnceCell<Arc<ClientConfig>>,
}

impl Dialer {
    /// For a server whose API is at `api_root`.
    pub(crate) fn new(api_root: &str, clock: Arc<dyn Clock>) -> Self {
        let plain = api_root.trim_start().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"));
        Self { clock, plain, tls: OnceCell::new() }
    }

    /// Connects to `url`, an address as Discord names it.
    pub(crate) async fn dial(&self, url: &str) -> Result<Socket, String> {
        let connected = within(&*self.clock, CONNECT_LIMIT, self.connect(url)).await;
        let stream = connected.map_err(|overdue| overdue.to_string())??;
        Ok(Socket { stream, clock: self.clock.clone() })
    }

    async fn connect(&self, url: &str) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, String> {
        let url = address(url, self.plain)?;
        let connector = match url.scheme() {
            "wss" => Connector::Rustls(self.tls.get_or_try_init(trusted).await?.clone()),
            _ => Connector::Plain,
        };
        let mut request = url.as_str().into_client_request().map_err(spoken)?;
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(crate::client::USER_AGENT));
        let config = WebSocketConfig::default()
            .read_buffer_size(16 << 10)
            .write_buffer_size(4 << 10)
            .max_message_size(Some(MOST_BYTES))
            .max_frame_size(Some(MOST_BYTES));
        let connected = connect_async_tls_with_config(request, Some(config), true, Some(connector));
        Box::pin(connected).await.map(|(stream, _)| stream).map_err(spoken)
    }
}

/// Trusts whom the machine trusts, like our HTTP client does. Reads the disk.
async fn trusted() -> Result<Arc<ClientConfig>, String> {
    let built = tokio::task::spawn_blocking(ClientConfig::with_platform_verifier).await;
    let config = built.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    Ok(Arc::new(config))
}

/// The address with what every connection says of itself. The token is sent there: never in the clear, unless the whole
/// server is without TLS.
fn address(url: &str, plain: bool) -> Result<Url, String> {
    let mut url = Url::parse(url).map_err(|_| "the gateway's address is no address".to_owned())?;
    match url.scheme() {
        "wss" => {}
        "ws" if plain => {}
        scheme => return Err(format!("the gateway's address begins with {scheme}: and not with wss:")),
    }
    url.set_query(Some("v=10&encoding=json"));
    Ok(url)
}

/// What comes next on a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// A frame.
    Frame(Utf8Bytes),
    /// The other side closed, with a code or without.
    Closed(Option<u16>),
    /// The connection broke.
    Broken(String),
}

/// A connection.
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    clock: Arc<dyn Clock>,
}

impl Socket {
    /// The next frame, or the end. Nothing is lost where the wait is given up.
    pub(crate) async fn next(&mut self) -> Came {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Came::Frame(text),
                Some(Ok(Message::Binary(bytes))) => {
                    if let Some(text) = text(bytes) {
                        return Came::Frame(text);
                    }
                }
                Some(Ok(Message::Close(frame))) => return Came::Closed(frame.map(|frame| frame.code.into())),
                // A ping is answered below us.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Err(error)) => return Came::Broken(spoken(error)),
                None => return Came::Closed(None),
            }
        }
    }

    /// Sends a frame.
    pub(crate) async fn send(&mut self, text: String) -> Result<(), String> {
        let sent = within(&*self.clock, WRITE_LIMIT, self.stream.send(Message::text(text))).await;
        sent.map_err(|overdue| overdue.to_string())?.map_err(spoken)
    }

    /// Closes the connection in a way that lets the session live.
    pub(crate) async fn close(mut self) {
        let frame = CloseFrame { code: KEEPS_SESSION, reason: Utf8Bytes::default() };
        let closed = within(&*self.clock, CLOSE_LIMIT, self.stream.close(Some(frame))).await;
        if let Ok(Err(error)) = closed {
            tracing::debug!(%error, "the connection was gone before it was closed");
        }
    }
}

fn text(bytes: Bytes) -> Option<Utf8Bytes> {
    let text = Utf8Bytes::try_from(bytes);
    text.inspect_err(|_| tracing::warn!("skipped a frame of the gateway's that is no text")).ok()
}

fn spoken(error: Error) -> String {
    error.to_string().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_version_and_encoding_and_keep_the_token_from_the_open_net() {
        let check = |url: &str, plain: bool, expected: Option<&str>| {
            assert_eq!(address(url, plain).ok().as_ref().map(Url::as_str), expected, "{url}");
        };
        let query = "?v=10&encoding=json";
        check("wss://gateway.discord.gg", false, Some(&format!("wss://gateway.discord.gg/{query}")));
        check(
            "wss://x.discord.gg/?v=9&compress=zlib-stream",
            false,
            Some(&format!("wss://x.discord.gg/{query}")),
        );
        check("ws://127.0.0.1:9/again", true, Some(&format!("ws://127.0.0.1:9/again{query}")));
        check("ws://gateway.discord.gg/", false, None);
        check("https://gateway.discord.gg/", true, None);
        check("gateway.discord.gg", true, None);
        check("", true, None);
    }
}
