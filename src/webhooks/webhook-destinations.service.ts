import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { invalidValue } from '../core/errors.js';
import { AddressPolicy, isLocalName, literalAddress } from '../core/safe-http/address-policy.js';
import type { Resolve } from '../core/safe-http/resolve.js';

/** After this time, an unresolved name is accepted, because each attempt checks the addresses again when it connects. */
const RESOLVE_WITHIN_MS = 2_000;

/** The injection token of the function that resolves names ({@link Resolve}). */
export const RESOLVE = Symbol('RESOLVE');

/** Checks that a webhook's URL leads to a permitted address at present (contract, section 4). */
@Injectable()
export class WebhookDestinationsService {
  readonly policy: AddressPolicy;

  constructor(
    @Inject(CONFIG) { webhookAllowedNetworks }: Config,
    @Inject(RESOLVE) readonly resolve: Resolve,
  ) {
    this.policy = new AddressPolicy(webhookAllowedNetworks);
  }

  /**
   * Accepts a name that does not resolve, and refuses a name with any forbidden address.
   * @param url must be parseable.
   * @throws BAD_REQUEST with `details` for the field `url`.
   */
  async assertPermitted(url: string): Promise<void> {
    const { hostname } = new URL(url);
    const literal = literalAddress(hostname);
    const permitted =
      literal === null
        ? !isLocalName(hostname) && (await this.addressesOf(hostname)).every((each) => this.policy.permits(each))
        : this.policy.permits(literal);
    if (permitted) return;
    // The message does not contain the address, which would reveal names in the operator's network.
    throw invalidValue('url', 'url must not lead to a private, local or otherwise reserved address');
  }

  private addressesOf(hostname: string): Promise<string[]> {
    return this.resolve(hostname, AbortSignal.timeout(RESOLVE_WITHIN_MS)).catch(() => []);
  }
}
