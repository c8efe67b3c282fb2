/* CRC-32C with the processor's instruction for it, chosen at run time, or with tables.

   A register holds the complement of the checksum. `crc32c_select` must be called once before
   `crc32c_extend`; both are safe without the GIL afterwards. */

#ifndef INSIGHT_CRC32C_H
#define INSIGHT_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "written for GCC and Clang on little-endian machines; without this module Python does the work"
#endif

#define CRC32C_POLYNOMIAL 0x82F63B78u /* RFC 3720, appendix B.4, bits reversed */
#define CRC32C_STREAM 1024            /* bytes of each of the three streams that are read at once */

static uint32_t crc32c_table[8][256];     /* [i]: a byte that i zero bytes follow */
static uint32_t crc32c_advance[4][256];   /* [i]: byte i of a register that CRC32C_STREAM zero bytes follow */

static inline uint64_t crc32c_load(const uint8_t *data) {
  uint64_t word;
  memcpy(&word, data, 8);
  return word;
}

/* --- tables: eight bytes a step ----------------------------------------------------------------- */

static uint32_t crc32c_portable(uint32_t state, const uint8_t *data, size_t size) {
  while (size >= 8) {
    const uint64_t word = crc32c_load(data) ^ state;
    state = crc32c_table[7][word & 255] ^ crc32c_table[6][word >> 8 & 255] ^
            crc32c_table[5][word >> 16 & 255] ^ crc32c_table[4][word >> 24 & 255] ^
            crc32c_table[3][word >> 32 & 255] ^ crc32c_table[2][word >> 40 & 255] ^
            crc32c_table[1][word >> 48 & 255] ^ crc32c_table[0][word >> 56];
    data += 8;
    size -= 8;
  }
  for (; size; size--) state = crc32c_table[0][(state ^ *data++) & 255] ^ state >> 8;
  return state;
}

static void crc32c_fill_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (state & 1 ? CRC32C_POLYNOMIAL : 0);
    crc32c_table[0][byte] = state;
  }
  for (int i = 1; i < 8; i++)
    for (int byte = 0; byte < 256; byte++) {
      const uint32_t before = crc32c_table[i - 1][byte];
      crc32c_table[i][byte] = before >> 8 ^ crc32c_table[0][before & 255];
    }
  static const uint8_t zeros[CRC32C_STREAM];
  uint32_t moved[32]; /* each bit of a register: the checksum is linear */
  for (int bit = 0; bit < 32; bit++) moved[bit] = crc32c_portable(1u << bit, zeros, CRC32C_STREAM);
  for (int i = 0; i < 4; i++)
    for (int byte = 0; byte < 256; byte++) {
      uint32_t sum = 0;
      for (int bit = 0; bit < 8; bit++)
        if (byte >> bit & 1) sum ^= moved[8 * i + bit];
      crc32c_advance[i][byte] = sum;
    }
}

static inline uint32_t crc32c_over_stream(uint32_t state) {
  return crc32c_advance[0][state & 255] ^ crc32c_advance[1][state >> 8 & 255] ^
         crc32c_advance[2][state >> 16 & 255] ^ crc32c_advance[3][state >> 24];
}

/* --- the instruction: three streams hide its latency -------------------------------------------- */

#define CRC32C_BY_INSTRUCTION(WORD, BYTE)                                           \
  for (; size >= 3 * CRC32C_STREAM; data += 3 * CRC32C_STREAM, size -= 3 * CRC32C_STREAM) { \
    uint32_t second = 0, third = 0;                                                 \
    for (size_t i = 0; i < CRC32C_STREAM; i += 8) {                                 \
      state = WORD(state, crc32c_load(data + i));                                   \
      second = WORD(second, crc32c_load(data + CRC32C_STREAM + i));                 \
      third = WORD(third, crc32c_load(data + 2 * CRC32C_STREAM + i));               \
    }                                                                               \
    state = crc32c_over_stream(crc32c_over_stream(state) ^ second) ^ third;         \
  }                                                                                 \
  for (; size >= 8; data += 8, size -= 8) state = WORD(state, crc32c_load(data));   \
  for (; size; size--) state = BYTE(state, *data++);                                \
  return state;

#if defined(__x86_64__)

#include <nmmintrin.h>

#define CRC32C_WORD(state, word) (uint32_t)_mm_crc32_u64(state, word)

#if defined(__clang__) /* there the instruction is a feature of its own */
#define CRC32C_TARGET "sse4.2,crc32"
#else
#define CRC32C_TARGET "sse4.2"
#endif

__attribute__((target(CRC32C_TARGET))) static uint32_t crc32c_sse42(uint32_t state, const uint8_t *data,
                                                                    size_t size) {
  CRC32C_BY_INSTRUCTION(CRC32C_WORD, _mm_crc32_u8)
}

static int crc32c_has_instruction(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2");
}

#define CRC32C_INSTRUCTION crc32c_sse42
#define CRC32C_INSTRUCTION_NAME "SSE4.2 CRC-32C"

#elif defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))

#if defined(__linux__)
#include <sys/auxv.h>
#endif

static inline uint32_t crc32c_word(uint32_t state, uint64_t word) {
  __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(state) : "r"(word));
  return state;
}

static inline uint32_t crc32c_byte(uint32_t state, uint8_t byte) {
  __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(state) : "r"((uint32_t)byte));
  return state;
}

static uint32_t crc32c_arm(uint32_t state, const uint8_t *data, size_t size) {
  CRC32C_BY_INSTRUCTION(crc32c_word, crc32c_byte)
}

static int crc32c_has_instruction(void) {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & 1 << 7) != 0; /* HWCAP_CRC32 */
#else
  return 1;
#endif
}

#define CRC32C_INSTRUCTION crc32c_arm
#define CRC32C_INSTRUCTION_NAME "ARMv8 CRC-32C"

#endif

static uint32_t (*crc32c_extend)(uint32_t state, const uint8_t *data, size_t size) = crc32c_portable;

/* Chooses the implementation and returns its name. */
static const char *crc32c_select(int portable) {
  crc32c_fill_tables();
  crc32c_extend = crc32c_portable;
#if defined(CRC32C_INSTRUCTION)
  if (!portable && crc32c_has_instruction()) {
    crc32c_extend = CRC32C_INSTRUCTION;
    return CRC32C_INSTRUCTION_NAME;
  }
#endif
  return "portable CRC-32C";
}

static inline uint32_t crc32c_masked(uint32_t state) { /* as a record stores the checksum */
  const uint32_t crc = ~state;
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

#endif
