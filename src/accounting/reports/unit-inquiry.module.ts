import { Module } from '@nestjs/common';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { UnitInquiry } from './unit-inquiry.service.js';

@Module({ imports: [SuppliersModule], providers: [UnitInquiry], exports: [UnitInquiry] })
export class UnitInquiryModule {}
