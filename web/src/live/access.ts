// How this page asks its controller. At this machine reading needs nothing; elsewhere every question has the token with it, in a
// header that no browser sends by itself. The token is kept in this page alone, until it is closed. Where the controller takes certificates
// of clients, the browser's does as well.
let token = "";

export const setToken = (text: string): void => void (token = text);
export const hasToken = (): boolean => token !== "";

export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token) headers.set("Authorization", `Bearer ${token}`);
  return fetch(path, { ...init, headers, credentials: "same-origin", cache: "no-store" });
}
