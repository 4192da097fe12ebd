import { ask, client } from '../../api';
import type { components } from '../../schema';

export type Kind = 'products' | 'prices';
type Schemas = components['schemas'];
/** The preview of a file. Only a file of products changes members other than prices. */
export type Previewed =
  ({ kind: 'products' } & Schemas['ProductImportPreviewDto']) | ({ kind: 'prices' } & Schemas['PriceImportPreviewDto']);

/** A chosen file, or pasted text with an empty name. */
export interface CsvFile {
  name: string;
  content: Blob | string;
}

/** Sends the bytes unchanged, because the server checks whether they are UTF-8. */
const asCsv = ({ content }: CsvFile) => ({
  headers: { 'Content-Type': 'text/csv' },
  body: '',
  bodySerializer: () => content,
});

/** Returns what the file would change. @throws Problem */
export async function previewFile(kind: Kind, file: CsvFile): Promise<Previewed> {
  if (kind === 'products') {
    const seen = await ask(() => client.POST('/api/products/import/preview', asCsv(file)));
    return { kind, ...seen };
  }
  const seen = await ask(() => client.POST('/api/prices/import/preview', asCsv(file)));
  return { kind, ...seen };
}

/** Applies exactly the changes of the preview. @throws Problem 409 when they have become different. */
export function importFile(kind: Kind, file: CsvFile, version: string): Promise<Schemas['ImportedDto']> {
  const params = { query: { version, file: file.name.trim() || undefined } };
  return kind === 'products'
    ? ask(() => client.POST('/api/products/import', { ...asCsv(file), params }))
    : ask(() => client.POST('/api/prices/import', { ...asCsv(file), params }));
}
