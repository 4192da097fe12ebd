import { Module } from '@nestjs/common';
import { OperatorsRepository } from './operators.repository.js';
import { OperatorsService } from './operators.service.js';

/** Accounts without sessions. The command line uses only this module, because it must work without the key for secrets. */
@Module({
  providers: [OperatorsRepository, OperatorsService],
  exports: [OperatorsRepository, OperatorsService],
})
export class OperatorsModule {}
