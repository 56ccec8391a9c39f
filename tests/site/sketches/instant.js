// Stands in for Material's instant navigation: an observable that replays the document, and a page change.
const subscribers = [];
globalThis.document$ = {
  subscribe(callback) {
    subscribers.push(callback);
    callback(document);
  },
};
globalThis.go = async (address) => {
  const text = await (await fetch(address)).text();
  const next = new DOMParser().parseFromString(text, "text/html");
  document.querySelector("main").replaceWith(document.adoptNode(next.querySelector("main")));
  for (const callback of subscribers) callback(document);
};
