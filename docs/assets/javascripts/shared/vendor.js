// Third-party scripts, fetched from this site the first time that something needs them.

const loading = new Map();

/** Adds a classic script once; resolves to the global that it defines. */
function load(file, name) {
  if (!loading.has(file)) {
    loading.set(
      file,
      new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = new URL(`../../vendor/${file}`, import.meta.url).href;
        script.onload = () => resolve(globalThis[name]);
        script.onerror = () => {
          loading.delete(file); // the next try may be luckier
          script.remove();
          reject(new Error(`${file} could not be loaded`));
        };
        document.head.append(script);
      }),
    );
  }
  return loading.get(file);
}

/** p5; it would add a <style> of its own, which the site forbids, unless one of that id is there. */
export function loadP5() {
  if (!document.getElementById("p5-loading-style")) {
    const standIn = document.createElement("template");
    standIn.id = "p5-loading-style";
    document.head.append(standIn);
  }
  return load("p5.min.js", "p5");
}
