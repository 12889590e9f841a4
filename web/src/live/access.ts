// How this page queries its controller. On the same machine reading needs no token. Elsewhere every request
// carries the token in a header that no browser sends automatically. Only this page stores the token, until
// it is closed. If the controller accepts client certificates, the browser's certificate works too.
let token = "";

export const setToken = (text: string): void => void (token = text);
export const hasToken = (): boolean => token !== "";

export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  return fetch(path, { ...init, headers, credentials: "same-origin", cache: "no-store" });
}
