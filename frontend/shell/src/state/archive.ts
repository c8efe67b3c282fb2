/** Archives runs on the host, or in this browser while the host saves nothing. Loaded with the menu of runs. */
import { type Annotations, ARCHIVE } from './annotations';
import { remember } from './memory';
import { told } from './start_view';

/**
 * Archives runs, or takes them out of the archive. If the host refuses, shows its state and rejects with the reason.
 */
export async function archive(annotations: Annotations, runs: readonly string[], archived: boolean): Promise<void> {
  if (!annotations.writable.peek()) {
    const others = annotations.ownArchived.value.filter((run) => !runs.includes(run));
    annotations.ownArchived.value = archived ? [...others, ...runs] : others;
    remember(ARCHIVE, told().logs ?? '', annotations.ownArchived.value);
    return;
  }
  annotations.set(runs, { archived });
  const sent = await Promise.allSettled(runs.map((run) => annotations.send(run, { archived })));
  const refused = sent.find((one) => one.status === 'rejected');
  if (!refused) return;
  await annotations.refresh();
  throw refused.reason;
}
