import { DiscoveryService } from '@nestjs/core';
import type { LeasedWork } from './leased-work.js';

/** A class that runs leased work, in a worker. */
export interface Dispatching {
  readonly work: Pick<LeasedWork<unknown>, 'wakeFree' | 'sweep' | 'takeOverClaimsOf' | 'pullBack'>;
  /** Stops claiming, and waits for running tasks. */
  drain(): Promise<void>;
}

const DISPATCHER = DiscoveryService.createDecorator<string>();

/**
 * Marks a class with leased work, so that workers sweep, take over and drain this work.
 * @param name the name of the work, for logs and for `QueueNotifier`.
 */
export const Dispatcher =
  (name: string) =>
  (target: new (...args: never[]) => Dispatching): void => {
    DISPATCHER(name)(target);
  };

/** Finds the dispatchers of this process, by the name of their work. */
export const findDispatchers = (discovery: DiscoveryService): Map<string, Dispatching> =>
  new Map(
    discovery
      .getProviders({ metadataKey: DISPATCHER.KEY })
      .map((provider) => [
        discovery.getMetadataByDecorator(DISPATCHER, provider) ?? '',
        provider.instance as Dispatching,
      ]),
  );
