//! Events as the engine's inbound shape. Pure.
