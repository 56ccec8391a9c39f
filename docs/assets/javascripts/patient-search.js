// Search waits until somebody wants to search.
//
// Material starts its search worker and fetches the whole index as soon as a page opens: a quarter of the
// page's weight, for most readers in vain. This classic script runs before Material's bundle; it holds back
// that one worker and that one request until the search field gets the focus, or the address asks for
// search (?q=…, ?h=…).

(() => {
  const INDEX = "search/search_index.json";
  const WORKER = "workers/search";
  const asked = new URLSearchParams(location.search);
  const wanted =
    asked.has("q") || asked.has("h")
      ? Promise.resolve()
      : new Promise((resolve) => {
          document.addEventListener("focusin", ({ target }) => target.closest("[name=search]") && resolve());
        });

  const Request = XMLHttpRequest;
  globalThis.XMLHttpRequest = class extends Request {
    #waits = false;

    open(method, url, ...rest) {
      this.#waits = String(url).endsWith(INDEX);
      super.open(method, url, ...rest);
    }

    send(body) {
      if (this.#waits) wanted.then(() => super.send(body));
      else super.send(body);
    }
  };

  const Started = Worker;
  globalThis.Worker = class extends EventTarget {
    constructor(url, options) {
      if (!String(url).includes(WORKER)) return new Started(url, options);
      super();
      this.started = wanted.then(() => {
        const worker = new Started(url, options);
        worker.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent("message", { data }));
        return worker;
      });
    }

    postMessage(data) {
      this.started.then((worker) => worker.postMessage(data));
    }
  };
})();
