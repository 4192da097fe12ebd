import type { BenchStack } from './stack.js';

const PASSWORD = 'a benchmark signs in with this';

/** An administrator who is signed in at the console. */
export class Operator {
  /** The cookies of the session and the device. */
  readonly cookies = new Map<string, string>();

  private constructor(
    private readonly url: string,
    private readonly address: string,
    private readonly email: string,
  ) {}

  /** @param url of a console without a second factor that trusts a proxy at 127.0.0.1. */
  static async signIn(stack: BenchStack, url: string, n: number): Promise<Operator> {
    const email = `operator-${n}@shop.example`;
    const { set_up_link: link } = await stack.topup<{ set_up_link: string }>(
      'operator',
      'create',
      '--email',
      email,
      '--name',
      `Operator ${n}`,
      '--role',
      'admin',
    );
    const operator = new Operator(url, `10.0.0.${n}`, email);
    await operator.post('/api/set-up', { token: link.split('#')[1], password: PASSWORD });
    await operator.signInAgain();
    return operator;
  }

  /** Begins another session. @returns the duration in milliseconds. */
  async signInAgain(): Promise<number> {
    const startedMs = performance.now();
    await this.post('/api/session', { email: this.email, password: PASSWORD });
    return performance.now() - startedMs;
  }

  /** @returns the answer's text, and its duration. Fails unless it is a 200. */
  async get(path: string): Promise<{ text: string; ms: number }> {
    const startedMs = performance.now();
    const response = await fetch(this.url + path, { headers: this.headers() });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
    return { text, ms: performance.now() - startedMs };
  }

  /** Reads an answer without keeping it. @returns its lines and duration. */
  async stream(path: string): Promise<{ lines: number; ms: number }> {
    const startedMs = performance.now();
    const response = await fetch(this.url + path, { headers: this.headers() });
    if (response.status !== 200 || response.body === null) throw new Error(`GET ${path}: ${response.status}`);
    let lines = 0;
    for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines++;
    return { lines, ms: performance.now() - startedMs };
  }

  private async post(path: string, body: unknown): Promise<void> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { ...this.headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
  }

  private headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': this.address };
  }
}
