import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ReadReplicaService } from './read-replica.service.js';

/** Long-running processes measure the replica's lag from the start, not only from the first read on. */
@Injectable()
export class ReplicaWatchService implements OnApplicationBootstrap {
  constructor(private readonly replica: ReadReplicaService) {}

  onApplicationBootstrap(): void {
    this.replica.watch();
  }
}
