import { randomBytes } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { generate } from 'otplib';
import type { DestinationStream } from 'pino';
import { createConsole } from '../../src/console/console-app.js';
import { loadConfig, type Config } from '../../src/core/config.js';
import { createLogger } from '../../src/core/logger.js';
import { Database } from '../../src/database/database.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { OperatorsService } from '../../src/operators/operators.service.js';
import type { Role } from '../../src/operators/roles.js';
import { createTestDatabase } from '../support/database.js';
import { untilNotBusy, type Answer } from '../support/http.js';
import { unique } from '../support/stack.js';

export const PASSWORD = 'correct horse battery staple';

/** Each browser has its own address, because one address may make ten attempts a minute. */
export const newAddress = (): string => `10.${[...randomBytes(3)].join('.')}`;

interface Sent {
  headers?: Record<string, string>;
  /** The raw body, if it is not JSON. */
  raw?: string;
}

/**
 * An operator's browser: it keeps cookies, and sends the headers that browsers add to requests of a page. Like an operator, it
 * repeats a request while the console is busy, which is a correct answer on a busy machine.
 */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    private readonly baseUrl: string,
    readonly address = newAddress(),
  ) {}

  get<Body = never>(path: string, sent: Sent = {}): Promise<Answer<Body>> {
    return this.send('GET', path, undefined, sent);
  }

  post<Body = never>(path: string, body?: unknown, sent: Sent = {}): Promise<Answer<Body>> {
    return this.send('POST', path, body, sent);
  }

  send<Body = never>(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer<Body>> {
    return untilNotBusy(() => this.sendOnce<Body>(method, path, body, sent));
  }

  private async sendOnce<Body>(method: string, path: string, body: unknown, sent: Sent): Promise<Answer<Body>> {
    const text = sent.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.address,
        'sec-fetch-site': 'same-origin',
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(answer) : answer) as Body,
    };
  }

  private keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export interface TestOperator {
  id: number;
  email: string;
  browser: Browser;
  /** The secret of the second factor. */
  secret?: string;
}

/** The console, like its own process, with its own database or that of a whole service. */
export class ConsoleStack {
  private constructor(
    readonly config: Config,
    readonly app: INestApplication,
    private readonly drop: () => Promise<void>,
  ) {}

  /** @param env changes of the tests' usual configuration; with DATABASE_URL, the database of another stack. */
  static async start(
    env: Record<string, string> = {},
    { port = 0, logTo, ...options }: { pagesFrom?: string; port?: number; logTo?: DestinationStream } = {},
  ): Promise<ConsoleStack> {
    const own = env.DATABASE_URL === undefined ? await createTestDatabase() : undefined;
    const config = loadConfig(
      {
        NODE_ENV: 'test',
        DATABASE_URL: own?.url,
        SECRETS_KEY: randomBytes(32).toString('base64'),
        CONSOLE_TRUSTED_PROXIES: '127.0.0.1',
        CONSOLE_REQUIRE_2FA: 'none',
        LOG_LEVEL: 'silent',
        ...env,
      },
      { forConsole: true },
    );
    const app = await createConsole(config, createLogger(config, 'test', logTo), {
      pagesFrom: '/nowhere',
      ...options,
    });
    await app.listen(port, '127.0.0.1');
    await app.get(SchemaService).whenReady();
    return new ConsoleStack(config, app, async () => own?.drop());
  }

  get url(): string {
    return `http://127.0.0.1:${((this.app.getHttpServer() as Server).address() as AddressInfo).port}`;
  }

  get operators(): OperatorsService {
    return this.app.get(OperatorsService);
  }

  browser(address?: string): Browser {
    return new Browser(this.url, address);
  }

  /** An operator with a password, who is not signed in. */
  async operator(role: Role = 'admin'): Promise<TestOperator> {
    const name = unique('operator');
    const { operator, link } = await this.operators.create({ email: `${name}@shop.example`, name, role });
    const browser = this.browser();
    const token = link.split('#')[1];
    const { status } = await browser.post('/api/set-up', { token, password: PASSWORD });
    if (status !== 200) throw new Error(`the password was not set: ${status}`);
    return { id: operator.id, email: operator.email, browser };
  }

  /** An operator who is signed in. */
  async signedIn(role: Role = 'admin'): Promise<TestOperator> {
    const operator = await this.operator(role);
    await this.signIn(operator);
    return operator;
  }

  async signIn({ browser, email }: TestOperator): Promise<void> {
    const { status, body } = await browser.post('/api/session', { email, password: PASSWORD });
    if (status !== 200) throw new Error(`not signed in: ${JSON.stringify(body)}`);
  }

  /** An operator with a second factor, who is signed in. */
  async withSecondFactor(role: Role = 'admin'): Promise<TestOperator & { recoveryCodes: string[] }> {
    const operator = await this.signedIn(role);
    const { browser } = operator;
    const { body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
    const { status, body } = await enrolled(browser, offer.secret);
    if (status !== 200) throw new Error(`no second factor: ${JSON.stringify(body)}`);
    return { ...operator, secret: offer.secret, recoveryCodes: body.recovery_codes };
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.app.get(Database).pool.query<Row>(text, values)).rows;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.drop();
  }
}

/**
 * Answers with the code of the previous half minute, so that the current code stays unused. If that code became too old
 * meanwhile, it answers with the next one.
 */
export async function enrolled(browser: Browser, secret: string): Promise<Answer<{ recovery_codes: string[] }>> {
  const answer = async (): Promise<Answer<{ recovery_codes: string[] }>> =>
    browser.send<{ recovery_codes: string[] }>('PUT', '/api/me/second-factor', {
      code: await codeOf(secret, -1),
    });
  const first = await answer();
  return first.status === 400 ? answer() : first;
}

/** The code that an app shows. @param steps half minutes from now. */
export const codeOf = (secret: string, steps = 0): Promise<string> =>
  generate({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
