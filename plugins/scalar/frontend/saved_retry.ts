/** Reads, changes and saves again while another page saves in between. */
import type { HostError } from '@insight-host/api';

const TRIES = 5;

export async function retried(save: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await save();
    } catch (error) {
      if ((error as Partial<HostError>).code !== 'saved_changed' || left <= 1) throw error;
    }
  }
}
