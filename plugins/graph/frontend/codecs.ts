/** What of the view is in the URL; see frontend/packages/kit/src/codecs.ts for the rest. */
import { codecs } from '@insight-host/kit';
import type { Codec } from '@insight-host/api';
import type { RecordKey } from './answers';

/** A record, as `run;tag;index`; without the index it is the first. */
export const record: Codec<RecordKey | null> = {
  parse(text) {
    const [run, tag, index = '0'] = codecs.names.parse(text);
    return run !== undefined && tag !== undefined && /^\d{1,9}$/.test(index)
      ? { run, tag, index: Number(index) }
      : null;
  },
  format: (value) =>
    value && codecs.names.format([value.run, value.tag, ...(value.index > 0 ? [String(value.index)] : [])]),
};

/**
 * Ids of opened scopes in the order in which they were opened; null while the user has said nothing. A list of none is
 * a lone `~`.
 */
export const opened: Codec<readonly string[] | null> = {
  parse: (text) => (text === null ? null : codecs.names.parse(text).filter((id) => id !== '')),
  format: (value) => value && (codecs.names.format(value) ?? '~'),
};
