// Search's worker, once somebody searches.
//
// Material starts the worker of search with every page. Until its first message, which brings the index, this one
// has fetched nothing; then it becomes the worker that its address names (?of=search.….min.js).

const { searchParams } = new URL(location.href);

addEventListener(
  "message",
  ({ data }) => {
    globalThis.importScripts(searchParams.get("of"));
    globalThis.dispatchEvent(new MessageEvent("message", { data }));
  },
  { once: true },
);
