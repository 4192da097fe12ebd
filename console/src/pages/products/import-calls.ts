import { ask, client } from '../../api';
import type { components } from '../../schema';

export type Kind = 'products' | 'prices';
type Schemas = components['schemas'];
/** What a file would change; only one of the two has members other than prices. */
export type Previewed =
  ({ kind: 'products' } & Schemas['ProductImportPreviewDto']) | ({ kind: 'prices' } & Schemas['PriceImportPreviewDto']);

/** A file as it was chosen, or what was pasted; then it has no name. */
export interface CsvFile {
  name: string;
  content: Blob | string;
}

/** The bytes go out as they are: only the process knows whether they are UTF-8. */
const asCsv = ({ content }: CsvFile) => ({
  headers: { 'Content-Type': 'text/csv' },
  body: '',
  bodySerializer: () => content,
});

/** Changes nothing. @throws Problem */
export async function previewFile(kind: Kind, file: CsvFile): Promise<Previewed> {
  if (kind === 'products') {
    const seen = await ask(() => client.POST('/api/products/import/preview', asCsv(file)));
    return { kind, ...seen };
  }
  const seen = await ask(() => client.POST('/api/prices/import/preview', asCsv(file)));
  return { kind, ...seen };
}

/** Exactly what was shown. @throws Problem 409 where it would be something else by now. */
export function importFile(kind: Kind, file: CsvFile, version: string): Promise<Schemas['ImportedDto']> {
  const params = { query: { version, file: file.name.trim() || undefined } };
  return kind === 'products'
    ? ask(() => client.POST('/api/products/import', { ...asCsv(file), params }))
    : ask(() => client.POST('/api/prices/import', { ...asCsv(file), params }));
}
