import { afterEach, describe, expect, it } from 'vitest';
import { RequestError } from './errors';

const answered = (body: unknown, status = 404): RequestError =>
  RequestError.of(new Response(null, { status, statusText: 'Not Found' }), body);

afterEach(() => void (document.documentElement.lang = ''));

describe('an error of the host', () => {
  it('is shown in the language of the user, with what it is about', () => {
    const body = { error: "unknown run 'a'", code: 'unknown_run', details: { run: 'a' } };
    document.documentElement.lang = 'zh-CN';
    expect(answered(body)).toMatchObject({
      message: '没有名为 a 的运行',
      code: 'unknown_run',
      details: { run: 'a' },
      status: 404,
    });
    document.documentElement.lang = 'en';
    expect(answered(body).message).toBe('There is no run a');
  });

  it('keeps the text of the server as the detail of a general code', () => {
    document.documentElement.lang = 'zh-CN';
    expect(answered({ error: 'no step 7', code: 'not_found' }).message).toBe('不存在：no step 7');
  });

  it('has the text of the server where the page has none for the code, or a value is missing', () => {
    document.documentElement.lang = 'zh-CN';
    for (const code of ['from_another_plugin', 'unknown_run', 'constructor', undefined, 7]) {
      expect(answered({ error: 'the text', code, details: null }).message).toBe('the text');
    }
  });

  it('has the status where a proxy answered', () => {
    expect(answered(null, 502)).toMatchObject({ message: '502 Not Found', code: '', status: 502 });
  });
});
