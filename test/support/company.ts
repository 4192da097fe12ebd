import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Configuration, Provider } from 'oidc-provider';
import { keptPort } from './kept-port.js';

/** The claims about a person, besides their identifier. */
export interface Claims {
  name?: string;
  email?: string;
  email_verified?: boolean;
  groups?: string | string[];
}

type IdToken = Record<string, unknown>;

/** Faults of the provider. */
export interface Faults {
  /** Changes the claims of an ID token, and signs it again. */
  says?: (claims: IdToken) => IdToken;
  /** Changes the claims of an ID token, and keeps the old signature. */
  forges?: (claims: IdToken) => IdToken;
  /** Accepts requests for paths with this prefix, and never answers. */
  silentAt?: string;
  /** For these paths, it sends the head of an answer first, and then stops or ends the connection. */
  sendsHead?: 'stops' | 'breaks off';
}

export const CLIENT = { id: 'console', secret: 'a secret of the console at its company' };

const KEY_ID = 'company';
const FORM = `<!doctype html><html lang="en"><title>Company</title><form method="post">
  <label>Who are you? <input name="login"></label><button>Continue</button></form>`;

/** A company's real provider of OpenID Connect on a socket. People sign in there with their name only. */
export class Company {
  readonly people = new Map<string, Claims>();
  readonly requests: string[] = [];
  private faults: Faults = {};
  private server: Server | undefined;

  private constructor(
    readonly port: number,
    private readonly provider: Provider,
    private readonly key: KeyObject,
    private readonly returnUrl: string,
  ) {}

  /**
   * @param returnUrl the address to which it returns people. @param isThin whether claims about a person come from its
   * userinfo endpoint, as the standard allows, and not in the ID token.
   */
  static async make(returnUrl: string, { isThin = false } = {}): Promise<Company> {
    const port = await keptPort();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' };
    const settings: Configuration = {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [returnUrl] }],
      jwks: { keys: [jwk] },
      cookies: { keys: ['company'] },
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: isThin,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      pkce: { required: () => true },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: () => ({ sub, ...company.people.get(sub) }),
      }),
      loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({
          clientId: CLIENT.id,
          accountId: ctx.oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    };
    const provider = await quietly(async () => {
      const { Provider: Made } = await import('oidc-provider');
      return new Made(issuerAt(port), settings);
    });
    const company = new Company(port, provider, createPrivateKey({ key: jwk as never, format: 'jwk' }), returnUrl);
    provider.use(async (ctx, next) => {
      await next();
      const body = ctx.body as { id_token?: string } | undefined;
      if (body?.id_token) ctx.body = { ...body, id_token: company.changed(body.id_token) };
    });
    return company;
  }

  /** Another site than 127.0.0.1, which has the tests' consoles. */
  get issuer(): string {
    return issuerAt(this.port);
  }

  async listen(): Promise<this> {
    const answer = this.provider.callback();
    this.server = createServer((request, response) => void this.handle(request, response, answer));
    await new Promise<void>((resolve) => this.server?.listen(this.port, resolve));
    return this;
  }

  async close(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  /** Has these faults while the work runs. */
  async while<Result>(faults: Faults, work: () => Promise<Result>): Promise<Result> {
    this.faults = faults;
    try {
      return await work();
    } finally {
      this.faults = {};
    }
  }

  /**
   * Signs a person in with a new browser. @param url the console's address of the provider. @param login the name; `-` cancels.
   * @returns the query with which the provider returns the browser.
   */
  async signIn(url: string, login: string): Promise<string> {
    const cookies = new Map<string, string>();
    let [next, body]: [string, string | undefined] = [url, undefined];
    for (;;) {
      const response = await fetch(next, {
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/x-www-form-urlencoded',
        },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null && !text.includes('<form'))
        throw new Error(`the company answered ${response.status}: ${text}`);
      if (location?.startsWith(this.returnUrl)) return new URL(location).search.slice(1);
      [next, body] =
        location === null ? [next, `login=${encodeURIComponent(login)}`] : [new URL(location, next).href, undefined];
    }
  }

  private async handle(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  ): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    const { silentAt, sendsHead } = this.faults;
    if (silentAt !== undefined && request.url?.startsWith(silentAt)) {
      if (sendsHead) response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":');
      if (sendsHead === 'breaks off') response.destroy();
      return;
    }
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    if (request.method === 'GET') return void response.setHeader('content-type', 'text/html').end(FORM);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const login = new URLSearchParams(Buffer.concat(chunks).toString('utf8')).get('login') ?? '';
    const result =
      login === '-'
        ? { error: 'access_denied', error_description: 'nobody <b>signed in</b>' }
        : { login: { accountId: login } };
    await this.provider.interactionFinished(request, response, result);
  }

  private changed(idToken: string): string {
    const { says, forges } = this.faults;
    const change = says ?? forges;
    const [head = '', claims = '', signature = ''] = idToken.split('.');
    if (!change) return idToken;
    const said = change(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as IdToken);
    const signed = `${head}.${Buffer.from(JSON.stringify(said)).toString('base64url')}`;
    return `${signed}.${says ? sign('sha256', Buffer.from(signed), this.key).toString('base64url') : signature}`;
  }
}

const issuerAt = (port: number): string => `http://localhost:${port}`;

/** The provider warns of settings that are for tests, and of the oldest Node that the tests run on. */
async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await work();
  } finally {
    console.warn = warn;
  }
}
