import { DiscoveryService } from '@nestjs/core';
import type { LeasedWork } from './leased-work.js';

/** A class that runs leased work. */
export interface Dispatching {
  readonly work: Pick<LeasedWork<unknown>, 'sweep' | 'takeOverClaimsOf' | 'pullBack'>;
  /** Claims nothing more and waits for what runs. */
  drain(): Promise<void>;
}

const DISPATCHER = DiscoveryService.createDecorator<string>();

/** Has workers sweep, take over and drain the work of a class. @param name of its work, in logs. */
export const Dispatcher =
  (name: string) =>
  (target: new (...args: never[]) => Dispatching): void => {
    DISPATCHER(name)(target);
  };

/** All of this process, by the name of their work. */
export const findDispatchers = (discovery: DiscoveryService): Map<string, Dispatching> =>
  new Map(
    discovery
      .getProviders({ metadataKey: DISPATCHER.KEY })
      .map((provider) => [
        discovery.getMetadataByDecorator(DISPATCHER, provider) ?? '',
        provider.instance as Dispatching,
      ]),
  );
