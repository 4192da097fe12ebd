import { Inject, Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import type { CompanySignInConfig } from '../../core/company-sign-in-config.js';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { personOf, type Claims } from './claims.js';
import type { Person } from '../company-accounts.service.js';

/** The page that the provider sends people back to. */
export const RETURN_PATH = '/login/company';

/** What of a sign-in only this console knows, and the provider returns or is shown to be the same. */
export interface Proofs {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  verifier: string;
}

/** What somebody came with, and when they showed the provider who they are; null where it does not say. */
export interface Arrival {
  person: Person;
  signedInAt: Date | null;
}

/** Whoever was away at the provider for longer has to begin again here, too. */
export const AWAY_AT_MOST_SECONDS = 600;
/** Longer than any session at a provider lasts: with it, the provider must say when somebody signed in, and need not ask anew. */
const EVER_SECONDS = 10 * 365 * 86_400;
const TIMEOUT_SECONDS = 5;
/** After so long, what the provider says of itself is read anew. */
const KNOWN_FOR_MS = 600_000;

/** The company's provider of OpenID Connect: code flow with PKCE, and the signature of every ID token verified. */
@Injectable()
export class CompanyProvider {
  readonly settings: CompanySignInConfig | null;
  private readonly returnUrl: string;
  private known: { provider: Promise<oidc.Configuration>; untilMs: number } | null = null;

  constructor(@Inject(CONFIG) { console }: Config) {
    this.settings = console.company;
    this.returnUrl = console.url + RETURN_PATH;
  }

  /**
   * Where the browser goes to sign in.
   * @param isAgain to confirm that it is them: the provider is asked not to count a sign-in of before.
   * @throws NOT_FOUND where nothing is set up; what openid-client throws.
   */
  async addressOf({ state, nonce, verifier }: Proofs, isAgain: boolean): Promise<string> {
    const { scopes } = this.assertSetUp();
    const parameters = {
      redirect_uri: this.returnUrl,
      scope: scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      max_age: String(isAgain ? 0 : EVER_SECONDS),
    };
    return oidc.buildAuthorizationUrl(await this.discovered(), parameters).href;
  }

  /**
   * Trades the code for who the person is.
   * @param answer the parameters with which the provider sent the browser back.
   * @param isAgain where the provider has to say that they signed in just now.
   * @throws NOT_FOUND where nothing is set up; what openid-client throws.
   */
  async arrivalOf(answer: URLSearchParams, proofs: Proofs, isAgain: boolean): Promise<Arrival> {
    this.assertSetUp();
    const provider = await this.discovered();
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${this.returnUrl}?${answer.toString()}`), {
      expectedState: proofs.state,
      expectedNonce: proofs.nonce,
      pkceCodeVerifier: proofs.verifier,
      ...(isAgain ? { maxAge: AWAY_AT_MOST_SECONDS } : {}),
      idTokenExpected: true,
    });
    const claims = present(tokens.claims(), 'an ID token was expected, and so it is there');
    const { auth_time: at } = claims;
    return {
      person: await this.personOf(provider, tokens.access_token, claims),
      signedInAt: typeof at === 'number' ? new Date(at * 1000) : null,
    };
  }

  private async personOf(provider: oidc.Configuration, accessToken: string, claims: oidc.IDToken): Promise<Person> {
    const settings = this.assertSetUp();
    const signed = personOf(claims, settings);
    const isComplete = signed.role !== null && signed.email !== null;
    if (isComplete || !provider.serverMetadata().userinfo_endpoint) return signed;
    // Some providers keep the ID token small, and say the rest there. What is signed counts first.
    const more: Claims = await oidc.fetchUserInfo(provider, accessToken, claims.sub).catch((error: unknown) => {
      // Whoever is known already needs no address.
      if (signed.role === null) throw error;
      return {};
    });
    const { email_verified: _ofAnother, ...rest } = more;
    const isOfOneAddress = claims.email === undefined || claims.email === more.email;
    return personOf({ ...(isOfOneAddress ? more : rest), ...claims }, settings);
  }

  private assertSetUp(): CompanySignInConfig {
    if (!this.settings) throw new AppError('NOT_FOUND', 'Company sign-in is not set up here');
    return this.settings;
  }

  /**
   * Not before somebody wants to sign in: the console starts, and lets in by password, without the provider. However many
   * want to at once, it is asked once, and after a failure anew.
   */
  private discovered(): Promise<oidc.Configuration> {
    if (this.known && this.known.untilMs > Date.now()) return this.known.provider;
    const provider = this.discover();
    this.known = { provider, untilMs: Date.now() + KNOWN_FOR_MS };
    provider.catch(() => (this.known = null));
    return provider;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.assertSetUp();
    const isHttp = issuer.startsWith('http:');
    const provider = await oidc.discovery(
      new URL(issuer),
      clientId,
      undefined,
      (as, client, body, headers) => authenticate(clientSecret, as)(as, client, body, headers),
      {
        timeout: TIMEOUT_SECONDS,
        // Production allows http on this machine only: see the settings.
        execute: [oidc.enableNonRepudiationChecks, ...(isHttp ? [oidc.allowInsecureRequests] : [])],
      },
    );
    // The library takes other issuers from Microsoft, whose "common" one lets people of every company in.
    const { issuer: named } = provider.serverMetadata();
    if (new URL(named).href !== new URL(issuer).href)
      throw new oidc.ClientError(`the provider at ${issuer} names itself ${named}`);
    return provider;
  }
}

/** By HTTP's basic scheme, which is the standard's default, unless the provider takes only the other one. */
function authenticate(secret: string, server: oidc.ServerMetadata): oidc.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported;
  const isOnlyPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return isOnlyPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}
