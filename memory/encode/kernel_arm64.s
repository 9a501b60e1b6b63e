#include "textflag.h"

// The assembler knows no SDOT, FMUL and FADD of vectors.

// DOT adds to D's four sums the products of four bytes each of N and M.
#define DOT(N, M, D) WORD $(0x4E809400 | (M)<<16 | (N)<<5 | (D))

// DOTOF is DOT with the four bytes 2·HIGH+LOW of M for all.
#define DOTOF(N, M, HIGH, LOW, D) WORD $(0x4F80E000 | (LOW)<<21 | (M)<<16 | (HIGH)<<11 | (N)<<5 | (D))

#define FMUL4(N, M, D) WORD $(0x6E20DC00 | (M)<<16 | (N)<<5 | (D))
#define FADD4(N, M, D) WORD $(0x4E20D400 | (M)<<16 | (N)<<5 | (D))

// BYTES adds the products of four bytes of each row in V20 to V23 and of 16 columns, and the
// sums of the columns.
#define BYTES(HIGH, LOW) \
	VLD1.P 64(R3), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	DOTOF(16, 20, HIGH, LOW, 0);  DOTOF(17, 20, HIGH, LOW, 1);  DOTOF(18, 20, HIGH, LOW, 2);  DOTOF(19, 20, HIGH, LOW, 3); \
	DOTOF(16, 21, HIGH, LOW, 4);  DOTOF(17, 21, HIGH, LOW, 5);  DOTOF(18, 21, HIGH, LOW, 6);  DOTOF(19, 21, HIGH, LOW, 7); \
	DOTOF(16, 22, HIGH, LOW, 8);  DOTOF(17, 22, HIGH, LOW, 9);  DOTOF(18, 22, HIGH, LOW, 10); DOTOF(19, 22, HIGH, LOW, 11); \
	DOTOF(16, 23, HIGH, LOW, 12); DOTOF(17, 23, HIGH, LOW, 13); DOTOF(18, 23, HIGH, LOW, 14); DOTOF(19, 23, HIGH, LOW, 15); \
	DOT(16, 24, 26); DOT(17, 24, 27); DOT(18, 24, 28); DOT(19, 24, 29)

// ZERO clears the 16 sums.
#define ZERO \
	VEOR V0.B16, V0.B16, V0.B16;    VEOR V1.B16, V1.B16, V1.B16;    VEOR V2.B16, V2.B16, V2.B16;    VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16;    VEOR V5.B16, V5.B16, V5.B16;    VEOR V6.B16, V6.B16, V6.B16;    VEOR V7.B16, V7.B16, V7.B16; \
	VEOR V8.B16, V8.B16, V8.B16;    VEOR V9.B16, V9.B16, V9.B16;    VEOR V10.B16, V10.B16, V10.B16; VEOR V11.B16, V11.B16, V11.B16; \
	VEOR V12.B16, V12.B16, V12.B16; VEOR V13.B16, V13.B16, V13.B16; VEOR V14.B16, V14.B16, V14.B16; VEOR V15.B16, V15.B16, V15.B16

// STORE writes the 16 sums of four rows that are R1 bytes apart.
#define STORE \
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0); \
	ADD R1, R0; \
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R0); \
	ADD R1, R0; \
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R0); \
	ADD R1, R0; \
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R0)

// func bytesTileFast(out *int32, n int, a *uint8, w *int8, k int)
//
// The bytes of a have no sign and SDOT's have: a·w is (a-128)·w + 128·w.
TEXT ·bytesTileFast(SB), NOSPLIT, $0-40
	MOVD out+0(FP), R0
	MOVD n+8(FP), R1
	MOVD a+16(FP), R5
	MOVD w+24(FP), R3
	MOVD k+32(FP), R4
	LSL $2, R1
	ADD R4, R5, R6
	ADD R4, R6, R7
	ADD R4, R7, R8
	ZERO
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
	VEOR V29.B16, V29.B16, V29.B16
	VMOVI $1, V24.B16
	VMOVI $128, V25.B16

columns:
	VLD1.P 16(R5), [V20.B16]
	VLD1.P 16(R6), [V21.B16]
	VLD1.P 16(R7), [V22.B16]
	VLD1.P 16(R8), [V23.B16]
	VEOR V25.B16, V20.B16, V20.B16
	VEOR V25.B16, V21.B16, V21.B16
	VEOR V25.B16, V22.B16, V22.B16
	VEOR V25.B16, V23.B16, V23.B16
	BYTES(0, 0)
	BYTES(0, 1)
	BYTES(1, 0)
	BYTES(1, 1)
	SUBS $16, R4
	BGT columns

	VSHL $7, V26.S4, V26.S4
	VSHL $7, V27.S4, V27.S4
	VSHL $7, V28.S4, V28.S4
	VSHL $7, V29.S4, V29.S4
	VADD V26.S4, V0.S4, V0.S4
	VADD V27.S4, V1.S4, V1.S4
	VADD V28.S4, V2.S4, V2.S4
	VADD V29.S4, V3.S4, V3.S4
	VADD V26.S4, V4.S4, V4.S4
	VADD V27.S4, V5.S4, V5.S4
	VADD V28.S4, V6.S4, V6.S4
	VADD V29.S4, V7.S4, V7.S4
	VADD V26.S4, V8.S4, V8.S4
	VADD V27.S4, V9.S4, V9.S4
	VADD V28.S4, V10.S4, V10.S4
	VADD V29.S4, V11.S4, V11.S4
	VADD V26.S4, V12.S4, V12.S4
	VADD V27.S4, V13.S4, V13.S4
	VADD V28.S4, V14.S4, V14.S4
	VADD V29.S4, V15.S4, V15.S4
	STORE
	RET

// FLOATS adds the product of one number of a row and 16 columns in V16 to V19.
#define FLOATS(ROW, S0, S1, S2, S3) \
	VLD1R.P 4(ROW), [V20.S4]; \
	FMUL4(16, 20, 24); FMUL4(17, 20, 25); FMUL4(18, 20, 26); FMUL4(19, 20, 27); \
	FADD4(24, S0, S0); FADD4(25, S1, S1); FADD4(26, S2, S2); FADD4(27, S3, S3)

// func floatsTileFast(out *float32, n int, a *float32, m int, b *float32, l, k int)
TEXT ·floatsTileFast(SB), NOSPLIT, $0-56
	MOVD out+0(FP), R0
	MOVD n+8(FP), R1
	MOVD a+16(FP), R5
	MOVD m+24(FP), R2
	MOVD b+32(FP), R3
	MOVD l+40(FP), R9
	MOVD k+48(FP), R4
	LSL $2, R1
	LSL $2, R2
	LSL $2, R9
	ADD R2, R5, R6
	ADD R2, R6, R7
	ADD R2, R7, R8
	ZERO

columns:
	VLD1 (R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	ADD R9, R3
	FLOATS(R5, 0, 1, 2, 3)
	FLOATS(R6, 4, 5, 6, 7)
	FLOATS(R7, 8, 9, 10, 11)
	FLOATS(R8, 12, 13, 14, 15)
	SUBS $1, R4
	BGT columns

	STORE
	RET
