import { describeForgeries } from './forgeries.js';

// A slow machine may need a quarter of an hour.
describeForgeries(10_000, 1_800_000);
