#include "textflag.h"

// func dotRowsAVX2(query *int16, rows *int8, width int, out *int32, n int)
//
// Per step 32 coordinates: two halves of 16, sign-extended to 16 bits,
// multiplied by the query's and added in pairs to 32 bits.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ rows+8(FP), DI
	MOVQ width+16(FP), R8
	MOVQ out+24(FP), DX
	MOVQ n+32(FP), CX

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  AX, AX

step:
	VPMOVSXBW (DI)(AX*1), Y2
	VPMOVSXBW 16(DI)(AX*1), Y3
	VPMADDWD  (SI)(AX*2), Y2, Y2
	VPMADDWD  32(SI)(AX*2), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, AX
	CMPQ      AX, R8
	JLT       step

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DX)
	ADDQ         $4, DX
	ADDQ         R8, DI
	DECQ         CX
	JNZ          row

	VZEROUPPER
	RET
