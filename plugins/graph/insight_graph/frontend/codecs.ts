/** What of the view is in the URL; see frontend/kit/codecs.ts for the rest. */
import { codecs } from 'insight-host/kit';
import type { Codec } from 'insight-host';
import type { RecordKey } from './answers';

/** A record, as `run;tag;index`; without the index it is the first. */
export const record: Codec<RecordKey | null> = {
  parse(text) {
    const [run, tag, index = '0'] = (text ?? '').split(';');
    const [first, second] = [run && codecs.decoded(run), tag && codecs.decoded(tag)];
    return typeof first === 'string' && typeof second === 'string' && tag !== undefined && /^\d{1,9}$/.test(index) ? { run: first, tag: second, index: Number(index) } : null;
  },
  format: (value) => value && [codecs.encoded(value.run), codecs.encoded(value.tag), ...(value.index > 0 ? [String(value.index)] : [])].join(';'),
};

/** Ids of opened scopes in the order in which they were opened; null while the user has said nothing. A list of none is a lone `~`. */
export const opened: Codec<readonly string[] | null> = {
  parse: (text) => (text === null ? null : codecs.names.parse(text).filter((id) => id !== '')),
  format: (value) => value && (codecs.names.format(value) ?? '~'),
};
