interface Seen {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

/** A person with a browser without JavaScript: logs in, reads pages, and sends the forms that stand on them. */
export class Person {
  readonly #url: string;
  readonly #cookie: string;

  private constructor(url: string, cookie: string) {
    this.#url = url;
    this.#cookie = cookie;
  }

  static async login(url: string, user: string, password: string): Promise<Person> {
    const body = new URLSearchParams({ user, password });
    const answer = await fetch(`${url}/login`, { method: "POST", body, headers: { origin: url }, redirect: "manual" });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (answer.status !== 303 || cookie === undefined)
      throw new Error(`login: ${answer.status} ${await answer.text()}`);
    return new Person(url, cookie);
  }

  async look(path: string): Promise<string> {
    const response = await fetch(this.#url + path, { headers: { cookie: this.#cookie } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  /** Sends the first form of the page that leads to `action`, with what stands in it and what is typed. */
  async send(path: string, action: string, typed: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.sendFrom(await this.look(path), action, typed);
  }

  /** The same from a page that was looked at before. */
  async sendFrom(page: string, action: string, typed: Readonly<Record<string, string>> = {}): Promise<Seen> {
    const form = [...page.matchAll(/<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)].find(
      ([, to = ""]) => to.replaceAll("&amp;", "&") === action,
    );
    if (form === undefined) throw new Error(`no form leads to ${action}: ${page}`);
    const hidden = [...form[2]!.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams(Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])));
    for (const [name, value] of Object.entries(typed)) body.set(name, value);
    const headers = { origin: this.#url, cookie: this.#cookie };
    const answer = await fetch(this.#url + action, { method: "POST", body, headers, redirect: "manual" });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get("location") };
  }
}
