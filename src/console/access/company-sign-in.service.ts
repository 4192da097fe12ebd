import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import { AppError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { CompanyAccountsService } from '../../operators/company-accounts.service.js';
import { CompanySignInsRepository } from '../../operators/company-sign-ins.repository.js';
import { newLinkToken, sha256 } from '../../operators/one-time-secrets.js';
import { SignInService } from '../../operators/sign-in.service.js';
import { callerOf, isRecent, type Exchange } from './caller.js';
import { CompanyCookie, isEqual } from './cookies.js';
import { SessionsService } from './sessions.service.js';
import { describeFailure, signInOver, toCompanyError } from '../../operators/company/company-failures.js';
import { MAX_SIGN_IN_SECONDS, CompanyProvider, type Proofs } from '../../operators/company/company-provider.js';
import type { CompanySessionDto, CompanySignInDto, SignInWaysDto } from './company-sign-in.dto.js';

/**
 * Signs operators in with their company's account. A cookie ties a sign-in to the browser that began it. Each sign-in has a row
 * that only one answer can complete. State, nonce and verifier are derived from the cookie's token.
 */
@Injectable()
export class CompanySignInService {
  private readonly cookie: CompanyCookie;

  constructor(
    private readonly provider: CompanyProvider,
    private readonly pending: CompanySignInsRepository,
    private readonly accounts: CompanyAccountsService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cookie = new CompanyCookie(config);
  }

  ways(): SignInWaysDto {
    const { settings } = this.provider;
    return { company: settings !== null, company_name: settings?.name ?? null };
  }

  /**
   * @throws NOT_FOUND if company sign-in is not set up; BAD_REQUEST as {@link assertReturnsHere}; SERVICE_UNAVAILABLE
   * if the provider does not answer; FORBIDDEN if its answer can't be accepted.
   */
  async begin({ request, response }: Exchange, next = '/'): Promise<CompanySignInDto> {
    this.assertReturnsHere(request);
    const token = newLinkToken();
    const isAgain = callerOf(request) !== null;
    const url = await this.callProvider(() => this.provider.addressOf(proofsOf(token), isAgain));
    await this.pending.insert({ hash: sha256(token), next, seconds: MAX_SIGN_IN_SECONDS });
    this.cookie.set(response, token, MAX_SIGN_IN_SECONDS);
    return { url };
  }

  /**
   * @param answer the query with which the browser returned.
   * @throws FORBIDDEN with the reason; SERVICE_UNAVAILABLE if the provider does not answer; UNAUTHORIZED if the
   * operator's access has changed meanwhile.
   */
  async complete(exchange: Exchange, answer: string): Promise<CompanySessionDto> {
    const { request, response } = exchange;
    const parameters = new URLSearchParams(answer);
    const token = this.cookie.read(request);
    if (token === null || !isEqual(parameters.get('state') ?? '', proofsOf(token).state)) throw signInOver();
    const next = await this.pending.complete(sha256(token));
    this.cookie.clear(response);
    if (next === null) throw signInOver();
    const isAgain = callerOf(request) !== null;
    const { person, signedInAt, missingBecause } = await this.callProvider(() =>
      this.provider.arrivalOf(parameters, proofsOf(token), isAgain),
    );
    const origin = this.sessions.originOf(request);
    const operator = await this.accounts.enter(person, origin).catch((error: unknown) => {
      const { issuer, subject } = person;
      const why = error instanceof AppError ? error.details?.[0]?.code : undefined;
      if (why === 'EMAIL_NOT_VERIFIED' && missingBecause !== null) this.fail(missingBecause);
      if (why) this.logger.warn({ issuer, subject, why }, 'a person was refused after company sign-in');
      throw error;
    });
    const { awaitsCode } = await this.signIns.withCompany(operator, origin);
    const isConfirmed = !awaitsCode && signedInAt !== null && isRecent(signedInAt);
    // The provider's clock may be ahead.
    const confirmedAt = isConfirmed ? new Date(Math.min(signedInAt.getTime(), Date.now())) : null;
    return { ...(await this.sessions.open(exchange, operator, awaitsCode, confirmedAt)), next };
  }

  /**
   * Refuses a request from any page outside CONSOLE_URL. The provider returns the browser to CONSOLE_URL, where the
   * cookie of another host is missing. For example, a cookie of localhost is missing at 127.0.0.1.
   * @throws BAD_REQUEST
   */
  private assertReturnsHere({ headers: { origin } }: Request): void {
    const { url } = this.config.console;
    if (origin === undefined || origin === new URL(url).origin) return;
    throw new AppError('BAD_REQUEST', `Company sign-in leads back to ${url}: open the console there`);
  }

  private async callProvider<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): never {
    if (!(error instanceof AppError)) this.logger.warn(describeFailure(error), 'the company’s sign-in failed');
    throw toCompanyError(error);
  }
}

function proofsOf(token: string): Proofs {
  const derived = (purpose: string): string => createHmac('sha256', token).update(purpose).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}
