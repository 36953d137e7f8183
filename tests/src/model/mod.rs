//! A model server in the two shapes of OpenAI's API.
