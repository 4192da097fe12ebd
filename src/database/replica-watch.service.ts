import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ReadReplicaService } from './read-replica.service.js';

/** For processes that run on: how far the replica is behind is known before the first read, and measured without one. */
@Injectable()
export class ReplicaWatchService implements OnApplicationBootstrap {
  constructor(private readonly replica: ReadReplicaService) {}

  onApplicationBootstrap(): void {
    this.replica.watch();
  }
}
