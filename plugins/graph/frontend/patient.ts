import { isAway } from '@insight-host/kit';

const FIRST_PAUSE = 1000; // ms before what failed because the host was away is asked for again
const LONGEST_PAUSE = 5000;

/** The answer to a request, however long the host is away; any other failure is one. */
export async function patient<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    signal.throwIfAborted();
  }
}
