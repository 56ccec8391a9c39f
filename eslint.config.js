// Rules by name and nothing imported, so that the linter may live outside this folder.
const browser = ["document", "window", "location", "localStorage", "console", "fetch", "URL", "DOMParser"];
const dom = ["CSSStyleSheet", "Element", "HTMLElement", "Node", "Option", "Event", "history", "scrollX", "scrollY"];
const observers = ["IntersectionObserver", "MutationObserver", "ResizeObserver"];
const asking = ["URLSearchParams", "Blob", "Response", "DecompressionStream", "XMLHttpRequest", "Worker", "EventTarget", "MessageEvent"];
const listening = ["addEventListener", "removeEventListener", "KeyboardEvent"];
const timing = ["setTimeout", "clearTimeout", "getComputedStyle", "matchMedia", "devicePixelRatio", "performance"];
const globals = (...names) => Object.fromEntries(names.flat().map((name) => [name, "readonly"]));

const rules = {
  "array-callback-return": "error",
  complexity: ["error", 15],
  "consistent-return": "off",
  "constructor-super": "error",
  curly: ["error", "multi-line"],
  eqeqeq: "error",
  "for-direction": "error",
  "getter-return": "error",
  "max-len": ["error", { code: 130, ignoreStrings: true, ignoreTemplateLiterals: true }],
  "max-lines": ["error", { max: 400 }],
  "no-async-promise-executor": "error",
  "no-class-assign": "error",
  "no-compare-neg-zero": "error",
  "no-cond-assign": "error",
  "no-const-assign": "error",
  "no-constant-binary-expression": "error",
  "no-constant-condition": "error",
  "no-debugger": "error",
  "no-dupe-args": "error",
  "no-dupe-else-if": "error",
  "no-dupe-keys": "error",
  "no-duplicate-case": "error",
  "no-duplicate-imports": "error",
  "no-empty": ["error", { allowEmptyCatch: true }],
  "no-eval": "error",
  "no-fallthrough": "error",
  "no-func-assign": "error",
  "no-global-assign": "error",
  "no-implicit-globals": "error",
  "no-implied-eval": "error",
  "no-import-assign": "error",
  "no-inner-declarations": "error",
  "no-invalid-regexp": "error",
  "no-loss-of-precision": "error",
  "no-new-func": "error",
  "no-promise-executor-return": "off",
  "no-prototype-builtins": "error",
  "no-redeclare": "error",
  "no-restricted-properties": [
    "error",
    { property: "innerHTML", message: "Data never becomes markup; build elements with html() and svg()." },
    { property: "outerHTML", message: "Data never becomes markup; build elements with html() and svg()." },
    { property: "insertAdjacentHTML", message: "Data never becomes markup; build elements with html() and svg()." },
  ],
  "no-self-assign": "error",
  "no-self-compare": "error",
  "no-shadow": "error",
  "no-sparse-arrays": "error",
  "no-this-before-super": "error",
  "no-undef": "error",
  "no-unreachable": "error",
  "no-unsafe-finally": "error",
  "no-unsafe-negation": "error",
  "no-unsafe-optional-chaining": "error",
  "no-unused-expressions": ["error", { allowShortCircuit: true }],
  "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
  "no-use-before-define": ["error", { functions: false, variables: false }],
  "no-useless-catch": "error",
  "no-useless-escape": "error",
  "no-var": "error",
  "prefer-const": "error",
  "use-isnan": "error",
  "valid-typeof": "error",
};

export default [
  { ignores: ["build/**", "site/**", "src/measured/weaving/temml/**", ".nox/**", ".venv/**", "node_modules/**"] },
  {
    files: ["docs/assets/javascripts/**/*.js", "src/measured/assets/*.js", "tests/site/**/*.js"],
    ignores: ["**/maths.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals(browser, dom, observers, asking, timing, listening) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules,
  },
  {
    files: ["docs/assets/javascripts/**/maths.js"], // arithmetic knows no page
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: {} },
    rules,
  },
  {
    files: ["*.js", "scripts/**/*.js", "tests/javascript/**/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals("process", "console", "URL", "Buffer") },
    rules,
  },
];
