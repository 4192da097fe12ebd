import { useQueryClient } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import type { OfferView } from './product-view';

export const nameOf = ({ supplier, supplier_sku: theirs }: Pick<OfferView, 'supplier' | 'supplier_sku'>): string =>
  `${supplier} ${theirs}`;

type SetOffer = components['schemas']['SetOfferDto'];

/** Sets an offer and shows the new state of its product. @param done the text of the toast. @throws Problem */
export function useSetOffer(sku: string, done?: string): (body: SetOffer) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  return async (body) => {
    const product = await ask(() => client.PUT('/api/offers', { body }));
    queries.setQueryData(['product', sku], product);
    void queries.invalidateQueries({ queryKey: ['product', sku, 'history'] });
    void queries.invalidateQueries({ queryKey: ['products'] });
    void queries.invalidateQueries({ queryKey: ['suppliers', body.supplier] });
    toast(done ?? t('offer.done'));
  };
}
