// What addresses say, without a document around.

/** Whether an address is a page of this site other than the one at hand. */
export function isOtherPage(url, here, site) {
  if (url.origin !== site.origin || !url.pathname.startsWith(site.pathname)) return false;
  return /(\/|\.html)$/.test(url.pathname) && url.pathname !== here.pathname;
}
