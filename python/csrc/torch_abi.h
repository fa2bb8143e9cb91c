/* The part of torch's stable C ABI (2.10 and later) that the extension calls. libtorch_cpu.so exports these functions with C linkage
   and keeps them from release to release, so the extension compiles without torch's headers and one binary serves every torch from
   2.10 on, under any Python. The build makes its link-time stand-in for libtorch_cpu.so from the names below. */
#ifndef TILEGLU_TORCH_ABI_H
#define TILEGLU_TORCH_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tileglu_torch_tensor* torch_tensor;   /* one owned reference to a tensor */
typedef struct tileglu_torch_library* torch_library; /* a registration of operators; lives as long as the process */
typedef struct tileglu_torch_string* torch_text;     /* one owned string */
typedef int32_t torch_error;                         /* 0: success */
/* A slot of an operator's stack: an integer, a double's bits, a bool, a torch_tensor, a torch_text; an optional value is a pointer to a
   heap-allocated slot, or 0. */
typedef uint64_t torch_slot;
typedef void (*torch_kernel)(torch_slot* stack, uint64_t inputs, uint64_t outputs);

uint64_t aoti_torch_abi_version(void);
int32_t aoti_torch_device_type_cpu(void);
int32_t aoti_torch_device_type_cuda(void);
int32_t aoti_torch_dtype_bfloat16(void);
int32_t aoti_torch_dtype_float16(void);
int32_t aoti_torch_dtype_float32(void);
int32_t aoti_torch_dtype_float64(void);
int32_t aoti_torch_dtype_uint8(void);
int32_t aoti_torch_layout_strided(void);

torch_error aoti_torch_get_data_ptr(torch_tensor, void** data);
torch_error aoti_torch_get_dim(torch_tensor, int64_t* dim);
torch_error aoti_torch_get_sizes(torch_tensor, int64_t** borrowed);
torch_error aoti_torch_get_strides(torch_tensor, int64_t** borrowed);
torch_error aoti_torch_get_dtype(torch_tensor, int32_t* dtype);
torch_error aoti_torch_get_device_type(torch_tensor, int32_t* type);
torch_error aoti_torch_get_device_index(torch_tensor, int32_t* index);
torch_error aoti_torch_get_layout(torch_tensor, int32_t* layout);
torch_error aoti_torch_new_tensor_handle(torch_tensor, torch_tensor* copy);
torch_error aoti_torch_delete_tensor_object(torch_tensor);
torch_error aoti_torch_empty_strided(int64_t dim, const int64_t* sizes, const int64_t* strides, int32_t dtype, int32_t device_type,
                                     int32_t device_index, torch_tensor* made);
torch_error aoti_torch_copy_(torch_tensor to, torch_tensor from, int32_t non_blocking);

torch_error aoti_torch_library_init_def(const char* space, const char* file, uint32_t line, torch_library* made);
torch_error aoti_torch_library_init_impl(const char* space, const char* key, const char* file, uint32_t line, torch_library* made);
torch_error aoti_torch_library_def(torch_library, const char* schema);
torch_error torch_library_impl(torch_library, const char* name, torch_kernel, uint64_t abi_version);
torch_error torch_call_dispatcher(const char* op, const char* overload, torch_slot* stack, uint64_t abi_version);

torch_error torch_new_string_handle(const char* data, size_t length, torch_text* made);
torch_error torch_delete_string(torch_text);
torch_error torch_string_length(torch_text, size_t* length);
torch_error torch_string_c_str(torch_text, const char** borrowed);

torch_error aoti_torch_get_current_device_index(int32_t* index);
torch_error aoti_torch_create_device_guard(int32_t index, void** guard);
torch_error aoti_torch_delete_device_guard(void* guard);

#ifdef __cplusplus
}
#endif

#endif
