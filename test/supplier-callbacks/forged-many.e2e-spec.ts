import { describeForgeries } from './forgeries.js';

// A machine that is slow may take a quarter of an hour.
describeForgeries(10_000, 1_800_000);
