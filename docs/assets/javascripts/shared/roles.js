// Queries, keys and values keep their colour and their line wherever a line of code names them.

const ROLES = { Q: "query", W_Q: "query", K: "key", W_K: "key", V: "value", W_V: "value" };

/**
 * A line of code in parts: text, and names with their role.
 *
 * @param {string} code
 * @returns {{text: string, role: string | undefined}[]}
 */
export function rolesIn(code) {
  return code
    .split(/\b(W_[QKV]|[QKV])\b/)
    .filter((text) => text)
    .map((text) => ({ text, role: ROLES[text] }));
}
