import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { invalidRequest } from '../core/errors.js';
import { AddressPolicy, isLocalName, literalAddress } from '../core/safe-http/address-policy.js';
import type { Resolve } from '../core/safe-http/resolve.js';

/** A name server that is slower than this is not waited for: the addresses are checked again when connecting. */
const RESOLVE_WITHIN_MS = 2_000;

/** How host names are resolved: a {@link Resolve}. */
export const RESOLVE = Symbol('RESOLVE');

/** Says whether a webhook's URL may be registered, given where it leads at present (contract, section 4). */
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
   * A name that does not resolve is let through; one that resolves to any forbidden address is not.
   * @param url one that the URL parser accepts.
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
    // The address itself is left out: it would tell strangers about names inside the operator's network.
    const message = 'url must not lead to a private, local or otherwise reserved address';
    throw invalidRequest([{ field: 'url', code: 'INVALID_VALUE', message }]);
  }

  private addressesOf(hostname: string): Promise<string[]> {
    return this.resolve(hostname, AbortSignal.timeout(RESOLVE_WITHIN_MS)).catch(() => []);
  }
}
